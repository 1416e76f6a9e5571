import type { AgentRecord } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import type { Fact } from "../events/event.ts";
import { EngineError } from "../kernel/error.ts";
import { describeModelError } from "../providers/errors.ts";
import type { Tool } from "../tools/tool.ts";
import type { ChatClient } from "./chat-models.ts";
import { decide, type PendingCall } from "./run.ts";
import { callModel, type ModelCall } from "./step.ts";
import { performCall, toolsOf } from "./toolbox.ts";
import type { Turn } from "./turn.ts";

const NO_ANSWER =
  "I used up the steps I have for one turn before I reached an answer. Ask me to go on, or make the question smaller.";

/** Performs what `decide` says until the run has an answer; throws when it cannot have one. */
export async function advance(
  ctx: Context,
  turn: Turn,
  agent: AgentRecord,
  client: ChatClient,
): Promise<void> {
  const tools = toolsOf(agent, ctx.services.tools);
  for (;;) {
    turn.signal.throwIfAborted();
    const action = decide(turn.run, agent.max_steps);
    switch (action.do) {
      case "call_model":
        await turn.commit();
        turn.record(...(await takeStep(turn, client, { agent, tools, last: action.last })));
        break;
      case "call_tools":
        // The calls are durable before the first of them can have an effect.
        await turn.commit();
        await callTools(ctx, turn, agent, tools, action.calls);
        break;
      case "finish":
        if (action.answer === "") sayNoAnswer(turn, agent);
        return;
    }
  }
}

async function takeStep(
  turn: Turn,
  { model, connection }: ChatClient,
  step: Pick<ModelCall, "agent" | "tools" | "last">,
): Promise<Fact[]> {
  try {
    return await callModel({
      ...turn,
      ...step,
      model,
      onCut: (partial) => turn.record(...partial),
    });
  } catch (error) {
    // An agent that limits its steps' silence wants an answer in the end, not an error.
    const silent = error instanceof EngineError && error.code === "timeout";
    if (silent && step.agent.max_step_duration > 0) turn.stop("deadline");
    throw describeModelError(error, connection);
  }
}

async function callTools(
  ctx: Context,
  turn: Turn,
  agent: AgentRecord,
  tools: readonly Tool[],
  calls: readonly PendingCall[],
): Promise<void> {
  const { session_id, turn_id } = turn.job.payload;
  const toolContext = { session_id, turn_id, now: ctx.now, signal: turn.signal };
  const perform = async (call: PendingCall) => {
    turn.record(await performCall(agent, tools, call, toolContext));
    await turn.commit();
  };
  if (agent.tool_execution === "parallel") {
    await Promise.all(calls.map(perform));
    return;
  }
  for (const call of calls) await perform(call);
}

/** A model may end a step without a word; the client must still be shown something. */
function sayNoAnswer(turn: Turn, agent: AgentRecord): void {
  if (turn.run.steps <= agent.max_steps) {
    throw new EngineError("model_error", "the model ended its turn without an answer");
  }
  turn.channel.delta("message_delta", NO_ANSWER);
  turn.record({ type: "assistant_message", payload: { content: NO_ANSWER } });
}
