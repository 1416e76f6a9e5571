import type { Event, Fact, Usage } from "../events/event.ts";

/** A tool call whose result is not in the log yet. */
export interface PendingCall {
  readonly call_id: string;
  readonly tool: string;
  readonly input: string;
}

/** One agent at work, folded from the log: what the prompt says and where the turn stands. */
export interface Run {
  /** Every fact the model is told, earlier turns' included, in order. */
  readonly transcript: Fact[];
  /** Model calls of this turn. */
  steps: number;
  readonly pending: Map<string, PendingCall>;
  /** The answer of the last step; undefined before the first and after one that called tools. */
  answer: string | undefined;
  usage: Usage;
  context_tokens: number | undefined;
}

/** Folds a session's events; only those of `turn_id` count as this turn's steps and calls. */
export function foldRun(events: readonly Event[], turn_id: string): Run {
  const run: Run = {
    transcript: [],
    steps: 0,
    pending: new Map(),
    answer: undefined,
    usage: {},
    context_tokens: undefined,
  };
  for (const event of events) {
    if (event.turn_id === turn_id) evolve(run, event);
    else remember(run, event);
  }
  return run;
}

/** Takes in one fact of this turn. Changes `run` in place: copying it per fact would be quadratic. */
export function evolve(run: Run, fact: Fact): void {
  remember(run, fact);
  switch (fact.type) {
    case "assistant_message":
      run.answer = fact.payload.content;
      return;
    case "tool_call":
      run.pending.set(fact.call_id, { call_id: fact.call_id, ...fact.payload });
      return;
    case "tool_result":
      run.pending.delete(fact.call_id);
      run.answer = undefined;
      return;
    case "step_finished":
      run.steps += 1;
      run.answer ??= "";
      run.usage = addUsage(run.usage, fact.payload.usage);
      run.context_tokens = fact.payload.usage.prompt_tokens ?? run.context_tokens;
      return;
    case "user_message":
    case "reasoning":
    case "system":
    case "turn_recovered":
    case "turn_finished":
      return;
  }
}

function remember(run: Run, fact: Fact): void {
  switch (fact.type) {
    case "step_finished":
    case "turn_recovered":
    case "turn_finished":
      return;
    default:
      run.transcript.push(fact);
  }
}

function addUsage(left: Usage, right: Usage): Usage {
  const add = (a: number | undefined, b: number | undefined) =>
    a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
  return {
    prompt_tokens: add(left.prompt_tokens, right.prompt_tokens),
    completion_tokens: add(left.completion_tokens, right.completion_tokens),
    cached_prompt_tokens: add(left.cached_prompt_tokens, right.cached_prompt_tokens),
  };
}

export type Action =
  | { readonly do: "call_model"; readonly last: boolean }
  | { readonly do: "call_tools"; readonly calls: readonly PendingCall[] }
  | { readonly do: "finish"; readonly answer: string };

/**
 * What a run does next. Pure: the turn engine is this function and its performer, so starting,
 * resuming and recovering a turn are the same call. The last step gets no tools, so that a run which
 * used up its steps still ends with an answer.
 */
export function decide(run: Run, max_steps: number): Action {
  if (run.pending.size > 0) return { do: "call_tools", calls: [...run.pending.values()] };
  if (run.answer !== undefined) return { do: "finish", answer: run.answer };
  return { do: "call_model", last: run.steps >= max_steps };
}
