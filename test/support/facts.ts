import type { Fact } from "#engine/events/event.ts";
import { evolve, newRun, type Run } from "#engine/runtime/run.ts";
import type { StructuredOutput } from "#engine/tools/structured-output.ts";

type Of<Type extends Fact["type"]> = Fact & { type: Type };
type Payload<Type extends Fact["type"]> = Of<Type>["payload"];

export const asked = (content: string): Fact => ({ type: "user_message", payload: { content } });

export const said = (content: string): Fact => ({
  type: "assistant_message",
  payload: { content },
});

export const noted = (content: string, kind?: "loop"): Fact => ({
  type: "system",
  payload: { content, kind },
});

export const called = (call_id: string, fields: Partial<Payload<"tool_call">> = {}): Fact => ({
  type: "tool_call",
  call_id,
  payload: { tool: "look", input: "{}", ...fields },
});

export const result = (
  call_id: string,
  fields: Partial<Payload<"tool_result">> = {},
): Of<"tool_result"> => ({
  type: "tool_result",
  call_id,
  payload: { tool: "look", content: "seen", duration_ms: 1, ...fields },
});

export const failed = (call_id: string, tool = "look"): Fact =>
  result(call_id, { tool, content: "[ERROR] no", is_error: true });

export const step = (fields: Partial<Payload<"step_finished">> = {}): Fact => ({
  type: "step_finished",
  payload: { finish_reason: "stop", usage: {}, ...fields },
});

export const interrupted = (interrupt_id: string, tool_call_id: string): Fact => ({
  type: "interrupt_request",
  call_id: interrupt_id,
  payload: { tool_call_id, kind: "structured_output", block: { output_type: "info" } },
});

export const resumed = (
  interrupt_id: string,
  tool_call_id: string,
  payload: unknown,
  block: StructuredOutput = { output_type: "info" },
): Fact => ({
  type: "interrupt_resume",
  call_id: interrupt_id,
  payload: { tool_call_id, kind: "structured_output", payload, block },
});

/** The entry agent's run after these facts, which all happened at the same time. */
export function runOf(...facts: readonly Fact[]): Run {
  const run = newRun({
    id: undefined,
    agent_id: "agent",
    agent_name: undefined,
    parent_id: undefined,
  });
  for (const fact of facts) evolve(run, fact, 0);
  return run;
}
