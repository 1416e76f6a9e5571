import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { HttpToolDefinition } from "#engine/http-tools/http-tool.ts";

export const httpTools = sqliteTable("http_tools", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  definition: text({ mode: "json" }).$type<HttpToolDefinition>().notNull(),
  sealed_variables: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
});
