import type { Context } from "../context.ts";
import type { Writes } from "../store.ts";
import type { Event, Fact } from "./event.ts";

/** Whose facts these are. */
export interface Origin {
  readonly session_id: string;
  readonly turn_id: string;
  readonly run_id?: string | undefined;
  readonly agent_id: string;
}

/** A fact on its way into the log. */
export interface Recorded {
  readonly origin: Origin;
  readonly fact: Fact;
}

/** Puts facts into their places behind `last_seq`; pure but for ids and the clock. */
export function toEvents(
  ctx: Pick<Context, "newId" | "now">,
  last_seq: number,
  recorded: readonly Recorded[],
): Event[] {
  const created_at = ctx.now().toISOString();
  return recorded.map(({ origin, fact }, index) => ({
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
  session_id: string,
  recorded: readonly Recorded[],
): Promise<Event[]> {
  const events = toEvents(ctx, await tx.events.lastSeq(session_id), recorded);
  await appendEvents(tx, events);
  return events;
}

/** Appends events with everything that is derived from them, in the same transaction. */
export async function appendEvents(tx: Writes, events: readonly Event[]): Promise<void> {
  await tx.events.append(events);
  for (const event of events) await derive(tx, event);
}

/** Longest output that the tool-call log shows, in characters; the whole one is in the session. */
const OUTPUT_LENGTH = 2000;

function derive(tx: Writes, event: Event): Promise<unknown> | undefined {
  const { id, session_id, turn_id, run_id, agent_id, created_at } = event;
  switch (event.type) {
    case "tool_call": {
      const { call_id, payload } = event;
      const { tool: tool_name, input } = payload;
      const call = { id, session_id, call_id, agent_id, tool_name, input, created_at };
      return tx.tool_calls.begin({ ...call, input: input.trim() === "" ? "{}" : input });
    }
    case "tool_result": {
      const { content, is_error, duration_ms } = event.payload;
      const status = is_error ? "failed" : "completed";
      const output = shorten(content, OUTPUT_LENGTH);
      return tx.tool_calls.finish(session_id, event.call_id, { output, status, duration_ms });
    }
    case "interrupt_request": {
      const { tool_call_id: call_id, kind } = event.payload;
      const place = { session_id, turn_id, run_id, call_id, kind };
      return tx.interrupts.insert({ ...place, id: event.call_id, status: "pending", created_at });
    }
    case "interrupt_abandoned":
      return tx.interrupts.close(event.call_id, "abandoned");
    default:
      return undefined;
  }
}

/** Cuts a text that is too long and says so. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text;
  return `${text.slice(0, length)}\n[… ${text.length - length} characters cut]`;
}
