import { getMcpCatalog } from "#engine/mcp-servers/catalog.ts";
import {
  createMcpServer,
  deleteMcpServer,
  getMcpServer,
  listMcpServers,
  patchMcpServer,
  refreshMcpServer,
  replaceMcpServer,
  testMcpServer,
} from "#engine/mcp-servers/operations.ts";
import { del, get, patch, post, put, type Route } from "../http/route.ts";

export const mcpServerRoutes: readonly Route[] = [
  get("/mcp-servers", listMcpServers),
  post("/mcp-servers", createMcpServer, { status: 201 }),
  get("/mcp-servers/:name", getMcpServer),
  put("/mcp-servers/:name", replaceMcpServer),
  patch("/mcp-servers/:name", patchMcpServer),
  del("/mcp-servers/:name", deleteMcpServer),
  post("/mcp-servers/:name/refresh", refreshMcpServer),
  post("/mcp-servers/:name/test", testMcpServer),
  get("/mcp/catalog", getMcpCatalog),
];
