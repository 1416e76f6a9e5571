import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { Engine } from "#engine/engine.ts";
import { requireGuard } from "#engine/kernel/principal.ts";
import type { OAuthPlace } from "#engine/oauth/place.ts";
import type { Logger } from "#engine/services.ts";
import { admit } from "../http/limits.ts";
import type { App } from "../http/mount.ts";
import { type Refuse, refuseOtherMethods } from "../http/mount.ts";
import { metadataUrlOf, type OAuthAddress, placeOf } from "../http/oauth-place.ts";
import { baseUrlOf, refuseForeign } from "../http/own-address.ts";
import type { McpCaller } from "./call-tool.ts";
import type { Authority } from "./tool.ts";

export interface McpEndpoint {
  readonly engine: Engine;
  readonly log: Logger;
  readonly address: OAuthAddress;
  readonly refuse: Refuse;
  /** The MCP server that answers one request of this caller. */
  serverFor(caller: McpCaller): Promise<Server>;
}

/** Serves MCP over streamable HTTP at this path, without sessions: every request stands for itself. */
export function mountMcp(app: App, path: string, endpoint: McpEndpoint): void {
  const { engine, log, address, serverFor } = endpoint;
  app.post(path, async (http) => {
    http.set("route", path);
    refuseForeign(http, address);
    const place = placeOf(http, address);
    http.set("resource_metadata", place && metadataUrlOf(place));
    const principal = await engine.authenticate(http.req.header("Authorization"), place);
    admit(http, principal, engine);
    requireGuard(principal, "authenticated");
    let missing: Authority | undefined;
    const caller: McpCaller = {
      engine,
      principal,
      log,
      request_id: http.get("request_id"),
      base_url: baseUrlOf(http, address),
      onMissing: (authority) => {
        missing = authority;
      },
    };
    // The SDK takes time and memory that a server whom no agent calls does not spend.
    const { answerRpc } = await import("./rpc.ts");
    const answer = await answerRpc(http, await serverFor(caller));
    const may_ask = principal.kind === "oauth_client" && place;
    return missing && may_ask ? askForMore(answer, missing, place) : answer;
  });
  refuseOtherMethods(app, path, ["POST"], endpoint.refuse);
}

/** A client of OAuth can ask its administrator for more, and learns for what (RFC 6750, 3.1). */
function askForMore(answer: Response, scope: Authority, place: OAuthPlace): Response {
  const headers = new Headers(answer.headers);
  const metadata = metadataUrlOf(place);
  headers.set(
    "WWW-Authenticate",
    `Bearer realm="troupe", error="insufficient_scope", scope="${scope}", resource_metadata="${metadata}"`,
  );
  return new Response(answer.body, { status: 403, headers });
}
