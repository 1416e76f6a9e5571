import { asc, eq, inArray, or, sql } from "drizzle-orm";
import type { SchemaWrites } from "#engine/schemas/schema.ts";
import type { Db } from "./database.ts";
import { present } from "./rows.ts";
import { rowInsert, rowsBy, rowUpdate } from "./statements.ts";
import { agentRelations, schemas } from "./tables.ts";

export function schemaRepository(db: Db): SchemaWrites {
  const insert = rowInsert(db, schemas);
  const update = rowUpdate(db, schemas);
  const byId = rowsBy(db, schemas, schemas.id);
  const byName = rowsBy(db, schemas, schemas.name);
  const agent_id = sql.placeholder("agent_id");
  const related = db
    .select({ id: agentRelations.schema_id })
    .from(agentRelations)
    .where(or(eq(agentRelations.source_id, agent_id), eq(agentRelations.target_id, agent_id)));
  const namesByAgent = db
    .select({ name: schemas.name })
    .from(schemas)
    .where(or(eq(schemas.entry_agent_id, agent_id), inArray(schemas.id, related)))
    .orderBy(asc(schemas.created_at), asc(sql`rowid`))
    .prepare();
  return {
    listNamesByAgent: async (agent_id) => namesByAgent.all({ agent_id }).map(({ name }) => name),
    list: async () =>
      db
        .select()
        .from(schemas)
        .orderBy(asc(schemas.created_at), asc(sql`rowid`))
        .all()
        .map(present),
    get: async (id) => byId.get(id),
    getByName: async (name) => byName.get(name),
    async insert(schema) {
      insert(schema);
    },
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      db.delete(schemas).where(eq(schemas.id, id)).run();
    },
    async clearEntryAgent(agent_id) {
      db.update(schemas)
        .set({ entry_agent_id: null })
        .where(eq(schemas.entry_agent_id, agent_id))
        .run();
    },
  };
}
