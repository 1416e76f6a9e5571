import type { AgentRecord } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import type { Event, Fact } from "../events/event.ts";
import type { Job } from "../jobs/job.ts";
import { EngineError, toEngineError } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import { openActor } from "./actor.ts";
import { advance } from "./advance.ts";
import { closingFacts } from "./closing.ts";
import { allRuns } from "./conversation.ts";
import type { PendingCall } from "./run.ts";
import type { StopReason, Turn } from "./turn.ts";

const OUT_OF_TIME =
  "I ran out of the time I have for one turn before I was done. Ask me to go on, or make the question smaller.";

/**
 * Runs a turn to its end, whatever that is, and records it. Returns the session's next queued job;
 * throws only when the store does, or when the process is shutting down.
 */
export async function performTurn(ctx: Context, turn: Turn): Promise<Job | undefined> {
  const { root } = turn.conversation;
  try {
    const agent = await ctx.read.agents.get(root.agent_id);
    if (!agent) throw new EngineError("not_found", "the agent of this turn no longer exists");
    turn.deadline.start(secondsOf(turn, agent) * 1000);
    const state = await advance(ctx, turn, root, await openActor(ctx, turn, root, agent));
    return await turn.finish(state === "waiting" ? "paused" : "completed");
  } catch (error) {
    if (turn.signal.reason === "shutdown" || turn.isLost()) throw error;
    return await endTurn(ctx, turn, error);
  } finally {
    turn.deadline.clear();
  }
}

/** An agent's limit is for people who wait; nobody waits for a task. */
const secondsOf = ({ job }: Turn, { max_turn_duration }: AgentRecord): number =>
  job.payload.task_id === undefined ? max_turn_duration : LIMITS.task_duration_s;

/** Records the end of a turn that has no answer of its own, by what stopped it. */
export async function endTurn(ctx: Context, turn: Turn, error: unknown): Promise<Job | undefined> {
  closeCalls(turn);
  switch (turn.signal.reason as StopReason | undefined) {
    case "cancelled":
      return turn.finish("cancelled", new EngineError("cancelled", "the turn was stopped"));
    case "deadline":
      turn.channel.delta("message_delta", OUT_OF_TIME);
      turn.record(turn.conversation.root, answerOf(OUT_OF_TIME));
      return turn.finish("completed");
    default: {
      const failure = toEngineError(error);
      const { turn_id } = turn.job.payload;
      if (failure.code === "internal")
        ctx.services.log.error({ err: error, turn_id }, "turn failed");
      else
        ctx.services.log.warn(
          { code: failure.code, reason: failure.message, turn_id },
          "turn failed",
        );
      return turn.finish("failed", failure);
    }
  }
}

const answerOf = (content: string): Fact => ({ type: "assistant_message", payload: { content } });

/** Every call gets a result, so that the conversation stays one that providers accept. */
function closeCalls(turn: Turn): void {
  for (const run of allRuns(turn.conversation)) turn.record(run, ...closingFacts(run, whyClosed));
}

const whyClosed = ({ is_started }: PendingCall): string =>
  is_started
    ? "the turn ended while this call was running; its outcome is unknown"
    : "the turn ended before this call was made";

/** How many processes died with this turn since it last got on. */
export function crashesInARow({ job }: Turn, events: readonly Event[]): number {
  let crashes = 0;
  for (const { type, turn_id } of events) {
    if (turn_id !== job.payload.turn_id) continue;
    crashes = type === "turn_recovered" ? crashes + 1 : 0;
  }
  return crashes;
}

/** Durable at once: a turn that takes every process down must be known by it. */
export async function noteCrash(turn: Turn, attempt: number): Promise<void> {
  turn.record(turn.conversation.root, { type: "turn_recovered", payload: { attempt } });
  await turn.commit();
}
