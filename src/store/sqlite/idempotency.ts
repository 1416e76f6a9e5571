import { and, eq, lt } from "drizzle-orm";
import type { IdempotencyWrites } from "#engine/runtime/idempotency.ts";
import type { Db } from "./database.ts";
import { idempotencyKeys } from "./record-tables.ts";
import { deleteInSteps, rowInsert } from "./statements.ts";

export function idempotencyRepository(db: Db): IdempotencyWrites {
  const insert = rowInsert(db, idempotencyKeys);
  return {
    get: async (owner, key) =>
      db
        .select()
        .from(idempotencyKeys)
        .where(and(eq(idempotencyKeys.owner, owner), eq(idempotencyKeys.key, key)))
        .get(),
    async insert(record) {
      insert(record);
    },
    async deleteBefore(created_at) {
      await deleteInSteps(db, idempotencyKeys, lt(idempotencyKeys.created_at, created_at));
    },
  };
}
