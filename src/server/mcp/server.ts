import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { MCP_INSTRUCTIONS, MCP_SERVER_NAME, MCP_SERVER_TITLE } from "./about.ts";
import { callTool, holds, insufficientScope, type McpCaller } from "./call-tool.ts";
import type { McpTool } from "./tool.ts";
import { MCP_TOOLS } from "./tools.ts";

/** Described once: a caller lists them often, and they never change. */
const LISTED = MCP_TOOLS.map((tool) => ({ authority: tool.authority, described: describe(tool) }));

/** The provisioning tools as an MCP server for one request of one caller. */
export function createProvisioningServer(caller: McpCaller, version: string): Server {
  const server = new Server(
    { name: MCP_SERVER_NAME, title: MCP_SERVER_TITLE, version },
    { capabilities: { tools: {} }, instructions: MCP_INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => {
    if (!holds(caller.principal, "provision")) {
      throw insufficientScope(caller, "tools/list", "provision");
    }
    const allowed = LISTED.filter(({ authority }) => holds(caller.principal, authority));
    return { tools: allowed.map(({ described }) => described) };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    callTool(MCP_TOOLS, params.name, params.arguments ?? {}, caller).catch(
      (thrown: { code?: unknown }) => {
        if (typeof thrown.code === "number") throw thrown;
        // The SDK would tell the caller what a bug says of itself.
        caller.log.error({ err: thrown, request_id: caller.request_id }, "tool call failed");
        throw new Error("an internal error occurred");
      },
    ),
  );
  return server;
}

function describe({ operation: { effect }, ...tool }: McpTool): Tool {
  const { name, description, input, authorityFor } = tool;
  const { $schema, ...inputSchema } = z.toJSONSchema(input, {
    io: "input",
    unrepresentable: "any",
  });
  return {
    name,
    description,
    inputSchema: inputSchema as Tool["inputSchema"],
    annotations: {
      readOnlyHint: effect === "read",
      destructiveHint: effect === "destroy" || authorityFor !== undefined,
      openWorldHint: false,
    },
  };
}
