import { defineConfig } from "drizzle-kit";

// `npm run migration -- a_name` writes the next migration from what changed in the tables.
export default defineConfig({
  dialect: "sqlite",
  schema: [
    "./src/store/sqlite/tables.ts",
    "./src/store/sqlite/record-tables.ts",
    "./src/store/sqlite/knowledge-tables.ts",
    "./src/store/sqlite/knowledge-graph-tables.ts",
    "./src/store/sqlite/http-tool-tables.ts",
    "./src/store/sqlite/mcp-server-tables.ts",
    "./src/store/sqlite/task-tables.ts",
    "./src/store/sqlite/oauth-tables.ts",
  ],
  out: "./src/store/sqlite/migrations",
});
