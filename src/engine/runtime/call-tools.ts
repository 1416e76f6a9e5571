import type { Context } from "../context.ts";
import type { Fact } from "../events/event.ts";
import { EngineError } from "../kernel/error.ts";
import { errorResult, type Tool, type ToolContext, type ToolOutcome } from "../tools/tool.ts";
import { abandonable, TIMED_OUT } from "./abandonable.ts";
import type { Actor } from "./actor.ts";
import { toolResult } from "./closing.ts";
import { passGate } from "./gate.ts";
import type { PendingCall, Run } from "./run.ts";
import { findTool, readArguments, timeoutOf } from "./toolbox.ts";
import type { Turn } from "./turn.ts";

const OUTCOME_UNKNOWN =
  "outcome unknown: the server stopped while this call was running, and it is not safe to repeat";

/**
 * Performs calls in the way their agent wants it. Returns those whose sub-agent waits for a person: like
 * a call that opened an interrupt, they stay open.
 */
export async function callTools(
  ctx: Context,
  turn: Turn,
  run: Run,
  actor: Actor,
  calls: readonly PendingCall[],
): Promise<string[]> {
  // The calls are durable, and shown, before the first of them runs.
  await turn.commit();
  const perform = async (call: PendingCall) => {
    const state = await performCall(ctx, turn, run, actor, call);
    turn.commitSoon();
    return state === "waiting" ? [call.call_id] : [];
  };
  if (actor.agent.tool_execution === "parallel") return (await settled(calls.map(perform))).flat();
  const waiting: string[] = [];
  for (const call of calls) {
    turn.signal.throwIfAborted();
    waiting.push(...(await perform(call)));
  }
  return waiting;
}

/** A call that fails must not leave the others running behind its back. */
async function settled<Result>(work: Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

/** One call to its recorded outcome; whatever goes wrong becomes a result the model reads. */
async function performCall(
  ctx: Context,
  turn: Turn,
  run: Run,
  actor: Actor,
  call: PendingCall,
): Promise<"waiting" | undefined> {
  const tool = findTool(actor.tools, call.tool);
  const refuse = (why: string) => {
    turn.record(run, toolResult(call, errorResult(why), 0));
    return undefined;
  };
  if (!tool) return refuse(unknownTool(call.tool, actor.tools));
  // A call is only begun once: this one was, by a process that died with it.
  if (call.is_started) return refuse(OUTCOME_UNKNOWN);
  const read = readArguments(tool, call.input);
  if ("problem" in read) return refuse(read.problem);
  const refused = await passGate(ctx, turn, run, actor.agent, tool, call, read.input);
  if (refused !== undefined) return refuse(refused);

  if (tool.retry === "never") {
    turn.record(run, { type: "tool_started", call_id: call.call_id, payload: {} });
    // Durable before it can have an effect: after a crash, this is what tells that it may have had it.
    await turn.commit();
  }
  const started = performance.now();
  const outcome = await execute(ctx, tool, read.input, toolContext(ctx, turn, run, call));
  const duration_ms = Math.round(performance.now() - started);
  if ("is_waiting" in outcome) return "waiting";
  turn.record(run, toFact(ctx, call, outcome, duration_ms));
  return undefined;
}

function toFact(
  ctx: Context,
  call: PendingCall,
  outcome: Exclude<ToolOutcome, { is_waiting: true }>,
  duration_ms: number,
): Fact {
  if (!("interrupt" in outcome)) return toolResult(call, outcome, duration_ms);
  const interrupt_id = ctx.newId();
  return {
    type: "interrupt_request",
    call_id: interrupt_id,
    payload: {
      tool_call_id: call.call_id,
      kind: "structured_output",
      block: outcome.interrupt(interrupt_id),
    },
  };
}

const toolContext = (ctx: Context, turn: Turn, run: Run, call: PendingCall): ToolContext => {
  const { session_id, schema_id, user_sub } = turn.job.payload;
  const { read, write, now, newId } = ctx;
  const { call_id } = call;
  const { tasks } = ctx.services;
  const { cite } = turn.conversation.citations;
  const place = { session_id, schema_id, user_sub, agent_id: run.agent_id, call_id, tasks };
  return { ...place, read, write, now, newId, cite, signal: turn.signal };
};

async function execute(
  { services }: Context,
  tool: Tool,
  input: unknown,
  ctx: ToolContext,
): Promise<ToolOutcome> {
  const timeout_ms = timeoutOf(tool);
  // A sub-agent listens to the turn itself, and what it has recorded must be waited for.
  if (timeout_ms === 0) return tool.execute(input, ctx);
  try {
    return await abandonable(ctx.signal, timeout_ms, (signal) =>
      tool.execute(input, { ...ctx, signal }),
    );
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    if (error === TIMED_OUT)
      return errorResult(`tool_timeout: ${tool.name} exceeded ${timeout_ms}ms`);
    if (error instanceof EngineError) return errorResult(error.message);
    // A bug's own words are for the log, not for a model and its client.
    services.log.error({ err: error, tool: tool.name }, "tool failed");
    return errorResult(`${tool.name} failed for a reason of its own; the server's log tells it`);
  }
}

const unknownTool = (name: string, tools: readonly Tool[]) =>
  `there is no tool "${name}"; available: ${tools.map((tool) => tool.name).join(", ") || "none"}`;
