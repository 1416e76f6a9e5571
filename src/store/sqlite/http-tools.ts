import { asc, eq, sql } from "drizzle-orm";
import type { HttpToolWrites } from "#engine/http-tools/http-tool.ts";
import type { Db } from "./database.ts";
import { httpTools } from "./http-tool-tables.ts";
import { present } from "./rows.ts";
import { rowInsert, rowsBy, rowUpdate } from "./statements.ts";

export function httpToolRepository(db: Db): HttpToolWrites {
  const insert = rowInsert(db, httpTools);
  const update = rowUpdate(db, httpTools);
  const byName = rowsBy(db, httpTools, httpTools.name);
  return {
    list: async () =>
      db
        .select()
        .from(httpTools)
        .orderBy(asc(httpTools.created_at), asc(sql`rowid`))
        .all()
        .map(present),
    getByName: async (name) => byName.get(name),
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
