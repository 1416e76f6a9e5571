import { and, asc, eq, gt, max, sql } from "drizzle-orm";
import type { Event, EventWrites } from "#engine/events/event.ts";
import { conflict } from "#engine/kernel/error.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert } from "./statements.ts";
import { events } from "./tables.ts";

export function eventRepository(db: Db): EventWrites {
  const list = db
    .select()
    .from(events)
    .where(
      and(
        eq(events.session_id, sql.placeholder("session_id")),
        gt(events.seq, sql.placeholder("after_seq")),
      ),
    )
    .orderBy(asc(events.seq))
    .prepare();
  const lastSeq = db
    .select({ seq: max(events.seq) })
    .from(events)
    .where(eq(events.session_id, sql.placeholder("session_id")))
    .prepare();
  const insert = rowInsert(db, events);

  return {
    list: async (session_id, after_seq = 0) =>
      list.all({ session_id, after_seq }).map((row) => present(row) as Event),
    firstOfTurn: async (session_id, turn_id) =>
      toEvent(
        db
          .select()
          .from(events)
          .where(and(eq(events.session_id, session_id), eq(events.turn_id, turn_id)))
          .orderBy(asc(events.seq))
          .limit(1)
          .get(),
      ),
    ofCall: async (session_id, type, call_id) =>
      toEvent(
        db
          .select()
          .from(events)
          .where(
            and(
              eq(events.session_id, session_id),
              eq(events.type, type),
              eq(events.call_id, call_id),
            ),
          )
          .get(),
      ),
    lastSeq: async (session_id) => lastSeq.get({ session_id })?.seq ?? 0,
    async append(added) {
      for (const event of added) {
        try {
          insert(event);
        } catch (error) {
          throw isTaken(error) ? conflict("another process continued this session") : error;
        }
      }
    },
  };
}

const toEvent = (row: typeof events.$inferSelect | undefined): Event | undefined =>
  maybe(row) as Event | undefined;

const isTaken = (error: unknown): boolean => {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return (cause as { code?: unknown } | null)?.code === "SQLITE_CONSTRAINT_PRIMARYKEY";
};
