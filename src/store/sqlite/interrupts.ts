import { and, eq, sql } from "drizzle-orm";
import type { InterruptWrites } from "#engine/interrupts/interrupt.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert } from "./statements.ts";
import { interrupts } from "./tables.ts";

export function interruptRepository(db: Db): InterruptWrites {
  const insert = rowInsert(db, interrupts);
  const listPending = db
    .select()
    .from(interrupts)
    .where(
      and(
        eq(interrupts.session_id, sql.placeholder("session_id")),
        eq(interrupts.status, "pending"),
      ),
    )
    .prepare();
  return {
    get: async (id) => maybe(db.select().from(interrupts).where(eq(interrupts.id, id)).get()),
    listPending: async (session_id) => listPending.all({ session_id }).map(present),
    async insert(interrupt) {
      insert(interrupt);
    },
    close: async (id, status) =>
      db
        .update(interrupts)
        .set({ status })
        .where(and(eq(interrupts.id, id), eq(interrupts.status, "pending")))
        .run().changes > 0,
  };
}
