import { asc, count, eq, isNull, sql } from "drizzle-orm";
import type { AgentWrites } from "#engine/agents/agent.ts";
import type { Db } from "./database.ts";
import { present } from "./rows.ts";
import { rowInsert, rowsBy, rowUpdate } from "./statements.ts";
import { agents } from "./tables.ts";

/** Queries only: no rule, default or error of the domain lives here. */
export function agentRepository(db: Db): AgentWrites {
  const insert = rowInsert(db, agents);
  const update = rowUpdate(db, agents);
  const byId = rowsBy(db, agents, agents.id);
  const byName = rowsBy(db, agents, agents.name);
  return {
    list: async () =>
      db.select().from(agents).orderBy(asc(agents.created_at), asc(sql`rowid`)).all().map(present),
    get: async (id) => byId.get(id),
    getByName: async (name) => byName.get(name),
    listNamesByModel: async (model_id) =>
      db
        .select({ name: agents.name })
        .from(agents)
        .where(eq(agents.model_id, model_id))
        .orderBy(asc(agents.name))
        .all()
        .map(({ name }) => name),
    count: async () => db.select({ total: count() }).from(agents).get()?.total ?? 0,
    async insert(agent) {
      insert(agent);
    },
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      db.delete(agents).where(eq(agents.id, id)).run();
    },
    async bindModel(model_id) {
      db.update(agents).set({ model_id }).where(isNull(agents.model_id)).run();
    },
  };
}
