import type { Context } from "../context.ts";
import type { Writes } from "../store.ts";
import type { Event, Fact } from "./event.ts";

/** Whose facts these are. */
export interface Origin {
  readonly session_id: string;
  readonly turn_id: string;
  readonly agent_id: string;
}

/** Puts facts into their places behind `last_seq`; pure but for ids and the clock. */
export function toEvents(
  ctx: Pick<Context, "newId" | "now">,
  origin: Origin,
  last_seq: number,
  facts: readonly Fact[],
): Event[] {
  const created_at = ctx.now().toISOString();
  return facts.map((fact, index) => ({
    ...fact,
    ...origin,
    seq: last_seq + 1 + index,
    id: ctx.newId(),
    created_at,
  }));
}

/** Appends facts at the end of a session's log. */
export async function appendFacts(
  ctx: Pick<Context, "newId" | "now">,
  tx: Writes,
  origin: Origin,
  facts: readonly Fact[],
): Promise<Event[]> {
  const events = toEvents(ctx, origin, await tx.events.lastSeq(origin.session_id), facts);
  await tx.events.append(events);
  return events;
}
