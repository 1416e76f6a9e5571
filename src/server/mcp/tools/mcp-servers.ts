import { z } from "zod";
import { attachServer, detachServer } from "#engine/mcp-servers/agent-operations.ts";
import {
  createMcpServer,
  deleteMcpServer,
  listMcpServers,
  patchMcpServer,
} from "#engine/mcp-servers/operations.ts";
import { ServerCreate } from "#engine/mcp-servers/server.ts";
import { listTool, type McpTool, renamed, tool } from "../tool.ts";

const { name, type, command, url, args, env_vars, enabled } = ServerCreate.shape;
const Key = z.object({ server_id: z.string().min(1).describe("The server's id or name") });
const Link = attachServer.input as z.ZodObject;

export const mcpServerTools: readonly McpTool[] = [
  listTool(
    "admin_list_mcp_servers",
    listMcpServers,
    "mcp_servers",
    ({ id, agents, ...server }) =>
      `${server.name} (${id}): ${server.type} ${server.url ?? server.command ?? ""}, ${server.enabled ? "on" : "off"}, used by ${agents.join(", ") || "no agent"}`,
  ),
  tool(
    "admin_create_mcp_server",
    createMcpServer,
    z.object({ name, type, command, url, args, env_vars, enabled }),
  ),
  tool(
    "admin_update_mcp_server",
    patchMcpServer,
    z.object({ name, type, command, url, args, env_vars, enabled }).partial().extend(Key.shape),
    {
      description: "Change an MCP server: what is left out stays",
      toInput: ({ server_id, name: rename, ...given }) => ({
        ...given,
        name: server_id,
        ...(rename === undefined ? {} : { rename }),
      }),
    },
  ),
  tool("admin_delete_mcp_server", deleteMcpServer, Key, {
    toInput: renamed({ server_id: "name" }),
  }),
  tool(
    "admin_set_mcp_server_enabled",
    patchMcpServer,
    z.object({ server_name: z.string().min(1), enabled: z.boolean() }),
    {
      description: "Switch an MCP server on or off",
      toInput: renamed({ server_name: "name" }),
    },
  ),
  tool("admin_attach_mcp_server_to_agent", attachServer, Link),
  tool("admin_detach_mcp_server_from_agent", detachServer, Link),
];
