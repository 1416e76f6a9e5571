import type { Fact, ToolResultPayload } from "../events/event.ts";

/** Contract 4.16, "Loop": what counts as going round in circles. */
const IDENTICAL_CALLS = 3;
const IDENTICAL_WITHIN_MS = 5_000;
const FAILURES_IN_A_ROW = 4;
const WARNINGS_MAX = 2;

/** Watches a run's tool calls for circles. */
export interface LoopWatch {
  see(fact: Fact, at_ms: number): void;
  /** What the model is told about the circle it is in; undefined when it is in none. */
  problem(): string | undefined;
  /** It was told often enough: the next step has to be the last. */
  isWarned(): boolean;
}

export function watchLoops(): LoopWatch {
  let call = { key: "", tool: "", at_ms: 0, times: 0 };
  let failures = { tool: "", times: 0 };
  let warnings = 0;

  const seeCall = (tool: string, input: string, at_ms: number): void => {
    const key = `${tool}\n${input}`;
    const again = key === call.key && at_ms - call.at_ms <= IDENTICAL_WITHIN_MS;
    call = { key, tool, at_ms, times: again ? call.times + 1 : 1 };
  };

  const seeResult = ({ tool, is_error }: ToolResultPayload): void => {
    const before = tool === failures.tool ? failures.times : 0;
    failures = { tool, times: is_error ? before + 1 : 0 };
  };
  const seeWarning = (): void => {
    warnings += 1;
    call = { ...call, times: 0 };
    failures = { ...failures, times: 0 };
  };

  return {
    see(fact, at_ms) {
      if (fact.type === "tool_call") seeCall(fact.payload.tool, fact.payload.input, at_ms);
      if (fact.type === "tool_result") seeResult(fact.payload);
      if (fact.type === "system" && fact.payload.kind === "loop") seeWarning();
    },
    problem() {
      if (failures.times >= FAILURES_IN_A_ROW) {
        return `"${failures.tool}" failed ${failures.times} times in a row. Try another way, or answer with what you know.`;
      }
      if (call.times >= IDENTICAL_CALLS) {
        return `You called "${call.tool}" ${call.times} times with the same arguments. Use the results you have, or try another way.`;
      }
      return undefined;
    },
    isWarned: () => warnings >= WARNINGS_MAX,
  };
}
