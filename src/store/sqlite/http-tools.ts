import { asc, eq, sql } from "drizzle-orm";
import type { HttpToolWrites } from "#engine/http-tools/http-tool.ts";
import type { Db } from "./database.ts";
import { httpTools } from "./http-tool-tables.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert, rowUpdate } from "./statements.ts";

export function httpToolRepository(db: Db): HttpToolWrites {
  const insert = rowInsert(db, httpTools);
  const update = rowUpdate(db, httpTools);
  const byName = db
    .select()
    .from(httpTools)
    .where(eq(httpTools.name, sql.placeholder("name")))
    .prepare();
  return {
    list: async () =>
      db
        .select()
        .from(httpTools)
        .orderBy(asc(httpTools.created_at), asc(sql`rowid`))
        .all()
        .map(present),
    getByName: async (name) => maybe(byName.get({ name })),
    async insert(tool) {
      insert(tool);
    },
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      db.delete(httpTools).where(eq(httpTools.id, id)).run();
    },
  };
}
