import type { Fact } from "../events/event.ts";
import { shorten } from "../events/log.ts";
import { errorResult, type ToolResult } from "../tools/tool.ts";
import type { PendingCall, Run } from "./run.ts";

/** What an agent says that used up its steps without a word. */
export const NO_ANSWER =
  "I used up the steps I have for one turn before I reached an answer. Ask me to go on, or make the question smaller.";

/** A longer result would crowd everything else out of the model's context. */
const RESULT_LENGTH_MAX = 100_000;

export const toolResult = (
  { call_id, tool }: Pick<PendingCall, "call_id" | "tool">,
  result: ToolResult,
  duration_ms: number,
): Fact => ({
  type: "tool_result",
  call_id,
  payload: { tool, ...result, content: shorten(result.content, RESULT_LENGTH_MAX), duration_ms },
});

/** Ends what a run has open, because nobody will go on with it. */
export const closingFacts = (run: Run, why: (call: PendingCall) => string): Fact[] =>
  [...run.pending.values()].flatMap((call) => {
    const result = toolResult(call, errorResult(why(call)), 0);
    const { interrupt_id } = call;
    if (interrupt_id === undefined) return [result];
    return [{ type: "interrupt_abandoned", call_id: interrupt_id, payload: {} }, result];
  });
