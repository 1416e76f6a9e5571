import { asc, eq, sql } from "drizzle-orm";
import type { ModelRecord, ModelWrites } from "#engine/models/model.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowUpdate } from "./statements.ts";
import { models } from "./tables.ts";

const toRecord = (row: typeof models.$inferSelect) => present(row) as ModelRecord;

export function modelRepository(db: Db): ModelWrites {
  const update = rowUpdate(db, models);
  const get = db
    .select()
    .from(models)
    .where(eq(models.id, sql.placeholder("id")))
    .prepare();
  return {
    list: async (kind) =>
      db
        .select()
        .from(models)
        .where(kind === undefined ? undefined : eq(models.kind, kind))
        .orderBy(asc(models.id))
        .all()
        .map(toRecord),
    get: async (id) => maybe(get.get({ id })) as ModelRecord | undefined,
    getByName: async (name) =>
      maybe(db.select().from(models).where(eq(models.name, name)).get()) as ModelRecord | undefined,
    getDefault: async () =>
      maybe(db.select().from(models).where(eq(models.is_default, true)).get()) as
        | ModelRecord
        | undefined,
    insert: async (model) => toRecord(db.insert(models).values(model).returning().get()),
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      db.delete(models).where(eq(models.id, id)).run();
    },
    async clearDefault() {
      db.update(models).set({ is_default: false }).where(eq(models.is_default, true)).run();
    },
  };
}
