import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Engine } from "#engine/engine.ts";
import { requireGuard } from "#engine/kernel/principal.ts";
import type { Logger } from "#engine/services.ts";
import { admit } from "../http/limits.ts";
import type { App } from "../http/mount.ts";
import { type Refuse, refuseOtherMethods } from "../http/mount.ts";
import { baseUrlOf, type OwnAddress, refuseForeign } from "../http/own-address.ts";
import type { McpCaller } from "./call-tool.ts";
import { answerRpc } from "./rpc.ts";

export interface McpEndpoint {
  readonly engine: Engine;
  readonly log: Logger;
  readonly address: OwnAddress;
  readonly refuse: Refuse;
  /** The MCP server that answers one request of this caller. */
  serverFor(caller: McpCaller): Server;
}

/** Serves MCP over streamable HTTP at this path, without sessions: every request stands for itself. */
export function mountMcp(app: App, path: string, endpoint: McpEndpoint): void {
  const { engine, log, address, serverFor } = endpoint;
  app.post(path, async (http) => {
    http.set("route", path);
    refuseForeign(http, address);
    const principal = await engine.authenticate(http.req.header("Authorization"));
    admit(http, principal, engine);
    requireGuard(principal, "authenticated");
    const base_url = baseUrlOf(http, address);
    const caller = { engine, principal, log, request_id: http.get("request_id"), base_url };
    return answerRpc(http, serverFor(caller));
  });
  refuseOtherMethods(app, path, ["POST"], endpoint.refuse);
}
