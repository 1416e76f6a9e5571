import { asc, eq, getTableColumns, sql } from "drizzle-orm";
import type { UsageWrites } from "#engine/usage/usage.ts";
import type { Db } from "./database.ts";
import { usageCounters, usageLimits } from "./record-tables.ts";

const { subject, ...counts } = getTableColumns(usageCounters);

const given = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, sql`${sql.placeholder(name)}`]));

export function usageRepository(db: Db): UsageWrites {
  const limits = db.select().from(usageLimits).orderBy(asc(usageLimits.scope)).prepare();
  const getCounter = db
    .select()
    .from(usageCounters)
    .where(eq(subject, sql.placeholder("subject")))
    .prepare();
  const columns = Object.keys(counts);
  const putCounter = db
    .insert(usageCounters)
    .values(given(["subject", ...columns]) as never)
    .onConflictDoUpdate({ target: subject, set: given(columns) })
    .prepare();
  return {
    listLimits: async () => limits.all(),
    getCounter: async (key) => getCounter.get({ subject: key }),
    async putLimit(limit) {
      const { scope, ...fields } = limit;
      db.insert(usageLimits)
        .values(limit)
        .onConflictDoUpdate({ target: usageLimits.scope, set: fields })
        .run();
    },
    deleteLimit: async (scope) =>
      db.delete(usageLimits).where(eq(usageLimits.scope, scope)).run().changes > 0,
    async putCounter(counter) {
      putCounter.run({ ...counter });
    },
  };
}
