import type { Fact, GateAnswer } from "../events/event.ts";
import { shorten } from "../events/log.ts";
import { type LoopWatch, watchLoops } from "./loop-watch.ts";

/** A tool call whose result is not in the log yet, and how far it got. */
export interface PendingCall {
  readonly call_id: string;
  readonly tool: string;
  readonly input: string;
  /** It may have had its effect. */
  readonly is_started: boolean;
  /** It waits for this interrupt's answer; only the answer's own request goes on with it. */
  readonly interrupt_id?: string | undefined;
  /** It may run only with a person's approval. */
  readonly gate?:
    | {
        readonly expires_at: string;
        readonly digest?: string | undefined;
        readonly answer?: GateAnswer;
      }
    | undefined;
}

/** One agent at work, folded from the log: what the prompt says and where the agent stands. */
export interface Run {
  /** Absent for the entry agent's run. */
  readonly id: string | undefined;
  readonly agent_id: string;
  readonly agent_name: string | undefined;
  readonly parent_id: string | undefined;
  /** Every fact the model is told, earlier turns' included, in order. */
  readonly transcript: Fact[];
  /** What stands for the beginning that was left out of the transcript. */
  digest: string | undefined;
  /** Model calls of this turn. */
  steps: number;
  readonly pending: Map<string, PendingCall>;
  /** What the running step said, before it is known whether that was all. */
  said: string | undefined;
  /** The answer of the last step; undefined before the first and after one that called tools. */
  answer: string | undefined;
  /** The last step was one without tools, so nothing more can come. */
  is_last: boolean;
  readonly loop: LoopWatch;
  /** Tokens of the last prompt. */
  context_tokens: number | undefined;
  /** Learnt from what the provider counted; undefined before its first answer. */
  characters_per_token: number | undefined;
}

export const newRun = (about: Pick<Run, "id" | "agent_id" | "agent_name" | "parent_id">): Run => ({
  ...about,
  transcript: [],
  digest: undefined,
  steps: 0,
  pending: new Map(),
  said: undefined,
  answer: undefined,
  is_last: false,
  loop: watchLoops(),
  context_tokens: undefined,
  characters_per_token: undefined,
});

/** The finish reason of a step that did not come to its end: it is done again. */
export const CUT = "cut";

/** Takes in one fact of the run's turn. Changes `run` in place: copying it per fact would be quadratic. */
export function evolve(run: Run, fact: Fact, at_ms: number): void {
  remember(run, fact);
  run.loop.see(fact, at_ms);
  switch (fact.type) {
    case "assistant_message":
      run.said = fact.payload.content;
      return;
    case "tool_call": {
      const { call_id, payload } = fact;
      const { tool, input } = payload;
      run.pending.set(call_id, { call_id, tool, input, is_started: false });
      return;
    }
    case "tool_started":
      progress(run, fact.call_id, { is_started: true });
      return;
    case "confirmation_request":
      {
        const { expires_at, digest } = fact.payload;
        progress(run, fact.call_id, { gate: { expires_at, digest } });
      }
      return;
    case "confirmation_answer":
      answerGate(run, fact.call_id, fact.payload);
      return;
    case "interrupt_request":
      progress(run, fact.payload.tool_call_id, { interrupt_id: fact.call_id });
      return;
    case "tool_result":
      run.pending.delete(fact.call_id);
      run.answer = undefined;
      return;
    case "step_finished":
      run.steps += 1;
      run.is_last = fact.payload.is_last ?? false;
      run.answer = fact.payload.finish_reason === CUT ? undefined : (run.said ?? "");
      run.said = undefined;
      return;
    default:
  }
}

function progress(run: Run, call_id: string, change: Partial<PendingCall>): void {
  const call = run.pending.get(call_id);
  if (call) run.pending.set(call_id, { ...call, ...change });
}

function answerGate(run: Run, call_id: string, answer: GateAnswer): void {
  const gate = run.pending.get(call_id)?.gate;
  if (gate) progress(run, call_id, { gate: { ...gate, answer } });
}

/** The part of a run that outlives its turn. */
export type Remembered = Pick<
  Run,
  "transcript" | "digest" | "context_tokens" | "characters_per_token"
>;

/** What the model is told of a fact later, and what it tells of the context. */
export function remember(run: Remembered, fact: Fact): void {
  switch (fact.type) {
    case "user_message":
    case "assistant_message":
    case "reasoning":
    case "system":
    case "tool_call":
    case "tool_result":
    case "interrupt_resume":
      run.transcript.push(fact);
      return;
    case "run_started":
      run.transcript.push({ type: "user_message", payload: { content: fact.payload.input } });
      return;
    case "context_trimmed":
      trim(run, fact);
      return;
    case "step_finished": {
      const { usage, prompt_characters } = fact.payload;
      const { prompt_tokens } = usage;
      run.context_tokens = prompt_tokens ?? run.context_tokens;
      if (prompt_tokens && prompt_characters) {
        run.characters_per_token = prompt_characters / prompt_tokens;
      }
      return;
    }
    default:
  }
}

/** What is left of a tool result that had to make room, in characters. */
export const SHORTENED_LENGTH = 400;

function trim(run: Remembered, { payload }: Fact & { type: "context_trimmed" }): void {
  const { dropped, digest, shortened } = payload;
  run.transcript.splice(0, dropped);
  run.digest = digest || run.digest;
  const calls = new Set(shortened);
  for (const [index, fact] of run.transcript.entries()) {
    if (fact.type !== "tool_result" || !calls.has(fact.call_id)) continue;
    const content = shorten(fact.payload.content, SHORTENED_LENGTH);
    run.transcript[index] = { ...fact, payload: { ...fact.payload, content } };
  }
}

export type Action =
  | { readonly do: "call_model"; readonly last: boolean }
  | { readonly do: "call_tools"; readonly calls: readonly PendingCall[] }
  /** Tells the model that it goes round in circles. */
  | { readonly do: "warn"; readonly note: string }
  | { readonly do: "wait" }
  | { readonly do: "finish"; readonly answer: string };

/**
 * What a run does next. Pure: the turn engine is this function and its performer, so starting,
 * resuming and recovering a turn are the same call. The last step gets no tools, so that a run which
 * used up its steps still ends with an answer. `waiting` are calls whose sub-agent waits for a person.
 */
export function decide(
  run: Run,
  max_steps: number,
  waiting: ReadonlySet<string> = new Set(),
): Action {
  const calls = [...run.pending.values()].filter(
    ({ call_id, interrupt_id }) => interrupt_id === undefined && !waiting.has(call_id),
  );
  if (calls.length > 0) return { do: "call_tools", calls };
  if (run.pending.size > 0) return { do: "wait" };
  if (run.answer !== undefined) return { do: "finish", answer: run.answer };
  const problem = run.loop.problem();
  if (problem && !run.loop.isWarned()) return { do: "warn", note: problem };
  return { do: "call_model", last: problem !== undefined || run.steps >= max_steps };
}
