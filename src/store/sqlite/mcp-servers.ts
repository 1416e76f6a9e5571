import { asc, eq, sql } from "drizzle-orm";
import type { McpServerWrites } from "#engine/mcp-servers/server.ts";
import type { Db } from "./database.ts";
import { mcpServerLinks, mcpServers } from "./mcp-server-tables.ts";
import { present } from "./rows.ts";
import { rowInsert, rowsBy, rowUpdate } from "./statements.ts";
import { agents } from "./tables.ts";

export function mcpServerRepository(db: Db): McpServerWrites {
  const insert = rowInsert(db, mcpServers);
  const update = rowUpdate(db, mcpServers);
  const byId = rowsBy(db, mcpServers, mcpServers.id);
  const byName = rowsBy(db, mcpServers, mcpServers.name);
  const unlinkAgent = db
    .delete(mcpServerLinks)
    .where(eq(mcpServerLinks.agent_id, sql.placeholder("agent_id")))
    .prepare();
  const ofAgent = db
    .select({ server: mcpServers })
    .from(mcpServerLinks)
    .innerJoin(mcpServers, eq(mcpServers.id, mcpServerLinks.server_id))
    .where(eq(mcpServerLinks.agent_id, sql.placeholder("agent_id")))
    .orderBy(sql`${mcpServerLinks}.rowid`)
    .prepare();
  return {
    list: async () =>
      db
        .select()
        .from(mcpServers)
        .orderBy(asc(mcpServers.created_at), asc(sql`rowid`))
        .all()
        .map(present),
    get: async (id) => byId.get(id),
    getByName: async (name) => byName.get(name),
    listByAgent: async (agent_id) => ofAgent.all({ agent_id }).map(({ server }) => present(server)),
    listAgentNames: async (server_id) =>
      db
        .select({ name: agents.name })
        .from(mcpServerLinks)
        .innerJoin(agents, eq(agents.id, mcpServerLinks.agent_id))
        .where(eq(mcpServerLinks.server_id, server_id))
        .orderBy(asc(agents.name))
        .all()
        .map(({ name }) => name),
    async insert(server) {
      insert(server);
    },
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      db.delete(mcpServers).where(eq(mcpServers.id, id)).run();
    },
    async link(server_id, agent_id) {
      db.insert(mcpServerLinks).values({ server_id, agent_id }).onConflictDoNothing().run();
    },
    async unlinkAgent(agent_id) {
      unlinkAgent.run({ agent_id });
    },
  };
}
