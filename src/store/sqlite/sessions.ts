import { and, count, desc, eq, gte, lte, sql } from "drizzle-orm";
import type { SessionFilter, SessionWrites } from "#engine/sessions/session.ts";
import type { Db } from "./database.ts";
import { columns, maybe, present } from "./rows.ts";
import { sessions } from "./tables.ts";

const matching = ({ user_sub, status, from, to }: SessionFilter) =>
  and(
    user_sub === undefined ? undefined : eq(sessions.user_sub, user_sub),
    status === undefined ? undefined : sql`${sessions.status} = ${status}`,
    from === undefined ? undefined : gte(sessions.created_at, from),
    to === undefined ? undefined : lte(sessions.created_at, to),
  );

export function sessionRepository(db: Db): SessionWrites {
  const get = db
    .select()
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder("id")))
    .prepare();
  return {
    get: async (id) => maybe(get.get({ id })),
    list: async (filter, { limit, offset }) =>
      db
        .select()
        .from(sessions)
        .where(matching(filter))
        .orderBy(desc(sessions.updated_at), desc(sql`rowid`))
        .limit(limit)
        .offset(offset)
        .all()
        .map(present),
    count: async (filter) =>
      db.select({ total: count() }).from(sessions).where(matching(filter)).get()?.total ?? 0,
    countBySchema: async (schema_id) =>
      db.select({ total: count() }).from(sessions).where(eq(sessions.schema_id, schema_id)).get()
        ?.total ?? 0,
    async insert(session) {
      db.insert(sessions).values(session).run();
    },
    async update(id, fields) {
      if (Object.keys(fields).length === 0) return;
      db.update(sessions).set(columns(fields)).where(eq(sessions.id, id)).run();
    },
    async delete(id) {
      db.delete(sessions).where(eq(sessions.id, id)).run();
    },
  };
}
