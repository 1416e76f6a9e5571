import { and, count, countDistinct, desc, eq, gte, inArray, lte, sql } from "drizzle-orm";
import type { SessionFilter, SessionWrites } from "#engine/sessions/session.ts";
import type { Db } from "./database.ts";
import { toolCalls } from "./record-tables.ts";
import { maybe, present } from "./rows.ts";
import { deleteInSteps, rowInsert, rowUpdate, untilFewer } from "./statements.ts";
import { events, sessions } from "./tables.ts";

const counted = ({ user_sub, status, from, to }: SessionFilter) =>
  and(
    user_sub === undefined ? undefined : eq(sessions.user_sub, user_sub),
    status === undefined ? undefined : sql`${sessions.status} = ${status}`,
    from === undefined ? undefined : gte(sessions.created_at, from),
    to === undefined ? undefined : lte(sessions.created_at, to),
  );

/** A session is never older than its last update: this bound can use the index of the order. */
const listed = (filter: SessionFilter) =>
  and(
    counted(filter),
    filter.from === undefined ? undefined : gte(sessions.updated_at, filter.from),
  );

const EVENTS_AT_ONCE = 500;

export function sessionRepository(db: Db): SessionWrites {
  const insert = rowInsert(db, sessions);
  const update = rowUpdate(db, sessions);
  const get = db
    .select()
    .from(sessions)
    .where(eq(sessions.id, sql.placeholder("id")))
    .prepare();
  const { session_id, seq } = events;
  const some = db
    .select({ seq })
    .from(events)
    .where(eq(session_id, sql.placeholder("id")))
    .limit(EVENTS_AT_ONCE);
  const deleteEvents = db
    .delete(events)
    .where(and(eq(session_id, sql.placeholder("id")), inArray(seq, some)))
    .prepare();
  return {
    get: async (id) => maybe(get.get({ id })),
    list: async (filter, { limit, offset }) =>
      db
        .select()
        .from(sessions)
        .where(listed(filter))
        .orderBy(desc(sessions.updated_at), desc(sessions.id))
        .limit(limit)
        .offset(offset)
        .all()
        .map(present),
    count: async (filter) =>
      db.select({ total: count() }).from(sessions).where(counted(filter)).get()?.total ?? 0,
    countBySchema: async (schema_id) =>
      db.select({ total: count() }).from(sessions).where(eq(sessions.schema_id, schema_id)).get()
        ?.total ?? 0,
    countUsers: async (since) =>
      db
        .select({ total: countDistinct(sessions.user_sub) })
        .from(sessions)
        .where(gte(sessions.updated_at, since))
        .get()?.total ?? 0,
    async insert(session) {
      insert(session);
    },
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      // What a long session holds goes first, in steps; the rest goes with it.
      await untilFewer(EVENTS_AT_ONCE, () => deleteEvents.run({ id }).changes);
      await deleteInSteps(db, toolCalls, eq(toolCalls.session_id, id));
      db.delete(sessions).where(eq(sessions.id, id)).run();
    },
  };
}
