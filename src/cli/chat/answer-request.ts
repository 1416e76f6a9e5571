import type { Ask, Block } from "./interrupt.ts";

/** The request that answers, for people and scripts that have no terminal chat. */
export interface AnswerRequest {
  readonly path: string;
  readonly body: unknown;
}

export function answerRequest(ask: Ask, schema: string, session_id: string): AnswerRequest {
  if (ask.kind === "confirmation") {
    return {
      path: `/api/v1/sessions/${session_id}/respond`,
      body: { call_id: ask.call_id, answers: ["approve"] },
    };
  }
  const { interrupt_id, block } = ask;
  return {
    path: `/api/v1/schemas/${schema}/chat`,
    body: { session_id, resume_interrupt: { interrupt_id, payload: examplePayload(block) } },
  };
}

function examplePayload({ questions, actions }: Block) {
  const answers = questions.map(({ id, options, default: value }) => ({
    question_id: id,
    value: value || options[0]?.value || "…",
  }));
  const [action] = actions;
  if (answers.length > 0 || !action) return { answers };
  return { answers: [{ question_id: "action", value: action.value }] };
}
