import type { Context } from "../context.ts";
import type { Fact } from "../events/event.ts";
import { EngineError } from "../kernel/error.ts";
import { describeModelError } from "../providers/errors.ts";
import type { Actor } from "./actor.ts";
import { callTools } from "./call-tools.ts";
import { NO_ANSWER } from "./closing.ts";
import { planTrim } from "./context-window.ts";
import { claimCallId } from "./conversation.ts";
import { decide, type Run } from "./run.ts";
import { callModel } from "./step.ts";
import type { Turn } from "./turn.ts";

/**
 * Performs what `decide` says until the run has an answer, or until all it could do waits for a person.
 * Throws when it cannot have an answer.
 */
export async function advance(
  ctx: Context,
  turn: Turn,
  run: Run,
  actor: Actor,
): Promise<"finished" | "waiting"> {
  const waiting = new Set<string>();
  for (;;) {
    turn.signal.throwIfAborted();
    const action = decide(run, actor.agent.max_steps, waiting);
    switch (action.do) {
      case "call_model":
        makeRoom(turn, run, actor);
        await turn.commit();
        turn.record(run, ...(await takeStep(turn, run, actor, action.last)));
        break;
      case "call_tools":
        for (const call_id of await callTools(ctx, turn, run, actor, action.calls)) {
          waiting.add(call_id);
        }
        break;
      case "warn":
        turn.record(run, { type: "system", payload: { content: action.note, kind: "loop" } });
        break;
      case "wait":
        return "waiting";
      case "finish":
        if (action.answer === "") sayNoAnswer(turn, run);
        return "finished";
    }
  }
}

const silentFor = (seconds: number): string =>
  `its model said nothing for its max_step_duration of ${seconds} seconds`;

function makeRoom(turn: Turn, run: Run, { agent, fixed_characters }: Actor): void {
  const payload = planTrim(run, fixed_characters, agent.max_context_size);
  if (payload) turn.record(run, { type: "context_trimmed", payload });
}

async function takeStep(turn: Turn, run: Run, actor: Actor, last: boolean): Promise<Fact[]> {
  try {
    return await callModel({
      run,
      actor,
      last,
      signal: turn.signal,
      claimCallId: (given) => claimCallId(turn.conversation, given ?? ""),
      // A sub-agent speaks to its parent, not to the client.
      onDelta: run.id === undefined ? turn.channel.delta : undefined,
      // A step that a shutdown cut short is done again.
      onCut: (partial) => turn.signal.reason !== "shutdown" && turn.record(run, ...partial),
    });
  } catch (error) {
    const { max_step_duration } = actor.agent;
    if (!(error instanceof EngineError && error.code === "timeout" && max_step_duration > 0)) {
      throw describeModelError(error, actor.client.connection);
    }
    // An agent that limits its steps' silence wants an answer in the end, not an error. A sub-agent's
    // limit is its own: who called it reads of it, and goes on.
    if (run.id === undefined) turn.stop("deadline");
    throw new EngineError("timeout", silentFor(max_step_duration));
  }
}

/** A model may end a step without a word; the client must still be shown something. */
function sayNoAnswer(turn: Turn, run: Run): void {
  if (!run.is_last) {
    throw new EngineError("model_error", "the model ended its turn without an answer");
  }
  if (run.id === undefined) turn.channel.delta("message_delta", NO_ANSWER);
  turn.record(run, { type: "assistant_message", payload: { content: NO_ANSWER } });
}
