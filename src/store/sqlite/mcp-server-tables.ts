import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { agents } from "./tables.ts";

export const mcpServers = sqliteTable("mcp_servers", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  type: text({ enum: ["stdio", "http", "sse", "streamable-http"] }).notNull(),
  command: text(),
  args: text({ mode: "json" }).$type<string[]>().notNull(),
  url: text(),
  sealed_env_vars: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
  forward_headers: text({ mode: "json" }).$type<string[]>().notNull(),
  auth_type: text({
    enum: ["none", "api_key", "forward_headers", "oauth2", "service_account"],
  }).notNull(),
  auth_key_env: text(),
  auth_token_env: text(),
  auth_client_id: text(),
  catalog_refresh_interval_seconds: integer(),
  enabled: integer({ mode: "boolean" }).notNull(),
  is_trusted: integer({ mode: "boolean" }).notNull(),
  tool_digests: text({ mode: "json" }).$type<Record<string, string>>(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
});

export const mcpServerLinks = sqliteTable(
  "mcp_server_links",
  {
    server_id: text()
      .notNull()
      .references(() => mcpServers.id, { onDelete: "cascade" }),
    agent_id: text()
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.server_id, table.agent_id] }),
    index("mcp_server_links_agent").on(table.agent_id),
  ],
);
