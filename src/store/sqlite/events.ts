import { and, asc, eq, gt, max, sql } from "drizzle-orm";
import type { Event, EventWrites } from "#engine/events/event.ts";
import { conflict } from "#engine/kernel/error.ts";
import { giveWay } from "#engine/kernel/give-way.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert } from "./statements.ts";
import { events } from "./tables.ts";

/** A long session is read in parts: its events are only ever added to. */
const EVENTS_AT_ONCE = 250;

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
    .limit(EVENTS_AT_ONCE)
    .prepare();
  const lastSeq = db
    .select({ seq: max(events.seq) })
    .from(events)
    .where(eq(events.session_id, sql.placeholder("session_id")))
    .prepare();
  const insert = rowInsert(db, events);

  return {
    async list(session_id, after_seq = 0) {
      const found: Event[] = [];
      for (;;) {
        const seen = found.at(-1)?.seq ?? after_seq;
        const rows = list.all({ session_id, after_seq: seen });
        for (const row of rows) found.push(present(row) as Event);
        if (rows.length < EVENTS_AT_ONCE) return found;
        await giveWay();
      }
    },
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
