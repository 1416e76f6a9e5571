import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { callTool, holds, insufficientScope, type McpCaller } from "./call-tool.ts";
import type { McpTool } from "./tool.ts";
import { MCP_TOOLS } from "./tools.ts";

export const MCP_SERVER_NAME = "troupe";
export const MCP_SERVER_TITLE = "troupe provisioning";

export const MCP_INSTRUCTIONS = [
  "Sets up AI agents on this troupe server.",
  "Begin with provision_agent: it creates an agent and a schema that people chat with.",
  "Give it documents with admin_create_knowledge_base, admin_add_document and admin_link_knowledge_base.",
  "get_embed_snippet makes a chat token and a script tag for a web page; both are shown once.",
  "Look at what there is with the admin_list_… tools before you change it.",
].join(" ");

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
    return {
      tools: MCP_TOOLS.filter((tool) => holds(caller.principal, tool.authority)).map(describe),
    };
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

const describe = ({ operation: { effect }, ...tool }: McpTool): Tool => {
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
};
