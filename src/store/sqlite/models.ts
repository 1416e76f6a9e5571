import { asc, eq } from "drizzle-orm";
import type { ModelRecord, ModelWrites } from "#engine/models/model.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowsBy, rowUpdate } from "./statements.ts";
import { models } from "./tables.ts";

const toRecord = (row: typeof models.$inferSelect) => present(row) as ModelRecord;

export function modelRepository(db: Db): ModelWrites {
  const update = rowUpdate(db, models);
  const byId = rowsBy(db, models, models.id);
  const byName = rowsBy(db, models, models.name);
  return {
    list: async (kind) =>
      db
        .select()
        .from(models)
        .where(kind === undefined ? undefined : eq(models.kind, kind))
        .orderBy(asc(models.id))
        .all()
        .map(toRecord),
    get: async (id) => byId.get(id) as ModelRecord | undefined,
    getByName: async (name) => byName.get(name) as ModelRecord | undefined,
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
