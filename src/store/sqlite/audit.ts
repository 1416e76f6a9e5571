import { and, count, desc, eq, gte, lte, sql } from "drizzle-orm";
import type { AuditFilter, AuditWrites } from "#engine/audit/audit.ts";
import type { Db } from "./database.ts";
import { auditEntries } from "./record-tables.ts";
import { rowInsert } from "./statements.ts";

const matching = ({ actor_type, action, resource, from, to }: AuditFilter) =>
  and(
    actor_type === undefined ? undefined : eq(auditEntries.actor_type, actor_type),
    action === undefined ? undefined : eq(auditEntries.action, action),
    resource === undefined ? undefined : eq(auditEntries.resource, resource),
    from === undefined ? undefined : gte(auditEntries.timestamp, from),
    to === undefined ? undefined : lte(auditEntries.timestamp, to),
  );

export function auditRepository(db: Db): AuditWrites {
  const insert = rowInsert(db, auditEntries);
  return {
    list: async (filter, { limit, offset }) =>
      db
        .select()
        .from(auditEntries)
        .where(matching(filter))
        .orderBy(desc(auditEntries.timestamp), desc(sql`rowid`))
        .limit(limit)
        .offset(offset)
        .all(),
    count: async (filter) =>
      db.select({ total: count() }).from(auditEntries).where(matching(filter)).get()?.total ?? 0,
    async append(entry) {
      insert(entry);
    },
  };
}
