import type { AgentRecord } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import type { Event } from "../events/event.ts";
import type { Job } from "../jobs/job.ts";
import { EngineError, toEngineError } from "../kernel/error.ts";
import type { ModelRecord } from "../models/model.ts";
import { errorResult } from "../tools/tool.ts";
import { advance } from "./advance.ts";
import { toolResult } from "./toolbox.ts";
import type { StopReason, Turn } from "./turn.ts";

const OUT_OF_TIME =
  "I ran out of the time I have for one turn before I was done. Ask me to go on, or make the question smaller.";

const OUTCOME_UNKNOWN =
  "outcome unknown: the server stopped while this call was running, and it is not safe to repeat";

/**
 * Runs a turn to its end, whatever that is, and records it. Returns the session's next queued job;
 * throws only when the store does, or when the process is shutting down.
 */
export async function performTurn(ctx: Context, turn: Turn): Promise<Job | undefined> {
  const { agent_id } = turn.job.payload;
  let deadline: NodeJS.Timeout | undefined;
  try {
    const agent = await ctx.read.agents.get(agent_id);
    if (!agent) throw new EngineError("not_found", "the agent of this turn no longer exists");
    if (agent.max_turn_duration > 0) {
      deadline = setTimeout(() => turn.stop("deadline"), agent.max_turn_duration * 1000);
    }
    const record = await requireModel(ctx, agent);
    const client = await ctx.services.models.open(record, agent.max_context_size);
    await advance(ctx, turn, agent, client);
    return await turn.finish("completed");
  } catch (error) {
    if (turn.signal.reason === "shutdown" || turn.isLost()) throw error;
    return await end(ctx, turn, error);
  } finally {
    clearTimeout(deadline);
  }
}

async function end(ctx: Context, turn: Turn, error: unknown): Promise<Job | undefined> {
  closePendingCalls(turn, "the turn ended while this call was running; its outcome is unknown");
  switch (turn.signal.reason as StopReason | undefined) {
    case "cancelled":
      return turn.finish("cancelled", new EngineError("cancelled", "the turn was stopped"));
    case "deadline":
      turn.channel.delta("message_delta", OUT_OF_TIME);
      turn.record({ type: "assistant_message", payload: { content: OUT_OF_TIME } });
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

/** Every call gets a result, so that the conversation stays one that providers accept. */
function closePendingCalls(turn: Turn, why: string): void {
  for (const call of [...turn.run.pending.values()]) {
    turn.record(toolResult(call, errorResult(why), 0));
  }
}

/**
 * Prepares a turn that another process began. A call that was running then may have had its effect:
 * unless its tool is safe to repeat, the model is told that its outcome is unknown (decision 9).
 */
export function recoverCalls(ctx: Context, turn: Turn, events: readonly Event[]): void {
  const attempt = events.filter(
    ({ type, turn_id }) => type === "turn_recovered" && turn_id === turn.job.payload.turn_id,
  ).length;
  turn.record({ type: "turn_recovered", payload: { attempt: attempt + 1 } });
  for (const call of [...turn.run.pending.values()]) {
    if (ctx.services.tools.get(call.tool)?.retry === "safe") continue;
    turn.record(toolResult(call, errorResult(OUTCOME_UNKNOWN), 0));
  }
}

async function requireModel({ read }: Context, agent: AgentRecord): Promise<ModelRecord> {
  const model =
    agent.model_id === undefined
      ? await read.models.getDefault()
      : await read.models.get(agent.model_id);
  if (model) return model;
  throw new EngineError(
    "model_error",
    `agent "${agent.name}" has no model: add one with POST /api/v1/models and set it on the agent`,
  );
}
