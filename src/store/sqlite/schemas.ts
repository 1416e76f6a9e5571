import { asc, eq, sql } from "drizzle-orm";
import type { SchemaWrites } from "#engine/schemas/schema.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert, rowUpdate } from "./statements.ts";
import { schemas } from "./tables.ts";

export function schemaRepository(db: Db): SchemaWrites {
  const insert = rowInsert(db, schemas);
  const update = rowUpdate(db, schemas);
  const getByName = db
    .select()
    .from(schemas)
    .where(eq(schemas.name, sql.placeholder("name")))
    .prepare();
  return {
    list: async () =>
      db
        .select()
        .from(schemas)
        .orderBy(asc(schemas.created_at), asc(sql`rowid`))
        .all()
        .map(present),
    get: async (id) => maybe(db.select().from(schemas).where(eq(schemas.id, id)).get()),
    getByName: async (name) => maybe(getByName.get({ name })),
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
