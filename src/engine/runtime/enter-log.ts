import type { Context } from "../context.ts";
import type { Event, Fact } from "../events/event.ts";
import { appendFacts, type Recorded } from "../events/log.ts";
import type { TurnJob } from "../jobs/job.ts";
import { EngineError } from "../kernel/error.ts";
import type { Writes } from "../store.ts";
import { abandonTasks, continueTask } from "../tasks/task-turn.ts";
import { SHOW_STRUCTURED_OUTPUT } from "../tools/structured-output.ts";
import { closePaused } from "./close-paused.ts";
import { toolResult } from "./closing.ts";

/**
 * What a turn begins with, written when it is its turn: a person's message or a person's answer.
 * Undefined when the answer comes too late: of two only one gets through, and a message ends the wait.
 */
export async function enterLog(
  ctx: Context,
  tx: Writes,
  turn: TurnJob,
): Promise<Event[] | undefined> {
  const { session_id, turn_id, agent_id, message = "", resume } = turn;
  if (resume) {
    if (!(await tx.interrupts.close(resume.interrupt_id, "resolved"))) return undefined;
    await continueTask(ctx, tx, turn);
    return appendFacts(ctx, tx, session_id, await answerOf(tx, session_id, resume));
  }
  const origin = { session_id, turn_id, agent_id };
  const fact: Fact = { type: "user_message", payload: { content: message } };
  // An ordinary message ends what a paused turn waits for (decision 11).
  const { closing, turn_ids } = await closePaused(tx, session_id, WENT_ON);
  const events = await appendFacts(ctx, tx, session_id, [...closing, { origin, fact }]);
  await abandonTasks(ctx, tx, turn_ids);
  return events;
}

const ANSWERED = "The person answered; the answers follow.";

async function answerOf(
  tx: Writes,
  session_id: string,
  { interrupt_id, payload }: { readonly interrupt_id: string; readonly payload: unknown },
): Promise<Recorded[]> {
  const asked = await tx.events.ofCall(session_id, "interrupt_request", interrupt_id);
  if (asked?.type !== "interrupt_request") {
    throw new EngineError("internal", "an interrupt has no place in its session's log");
  }
  const { turn_id, run_id, agent_id } = asked;
  const origin = { session_id, turn_id, run_id, agent_id };
  const { tool_call_id, kind, block } = asked.payload;
  const answer: Fact = {
    type: "interrupt_resume",
    call_id: interrupt_id,
    payload: { tool_call_id, kind, payload, block },
  };
  const call = { call_id: tool_call_id, tool: SHOW_STRUCTURED_OUTPUT };
  const result = toolResult(call, { content: ANSWERED }, 0);
  return [
    { origin, fact: answer },
    { origin, fact: result },
  ];
}

const WENT_ON = "the person went on without answering";
