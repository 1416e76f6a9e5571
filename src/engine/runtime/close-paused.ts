import type { Recorded } from "../events/log.ts";
import type { Writes } from "../store.ts";
import { closingFacts } from "./closing.ts";
import { allRuns, foldConversation } from "./conversation.ts";

export interface ClosedPause {
  /** What ends the open calls in the session's log. */
  readonly closing: readonly Recorded[];
  /** The turns that will not go on. */
  readonly turn_ids: readonly string[];
}

/** Ends whatever paused turns of a session wait for. */
export async function closePaused(
  tx: Writes,
  session_id: string,
  why: string,
): Promise<ClosedPause> {
  const pending = await tx.interrupts.listPending(session_id);
  if (pending.length === 0) return { closing: [], turn_ids: [] };
  const events = await tx.events.list(session_id);
  const turn_ids = [...new Set(pending.map(({ turn_id }) => turn_id))];
  const closing = turn_ids.flatMap((turn_id) => {
    const agent_id = events.find((event) => event.turn_id === turn_id)?.agent_id ?? "";
    return allRuns(foldConversation(events, { turn_id, agent_id })).flatMap((run) => {
      const origin = { session_id, turn_id, run_id: run.id, agent_id: run.agent_id };
      return closingFacts(run, () => why).map((fact) => ({ origin, fact }));
    });
  });
  return { closing, turn_ids };
}
