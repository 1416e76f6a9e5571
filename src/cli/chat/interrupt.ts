/** A pause that asks a person: a form or a block of the agent, or the approval of a tool call. */
export type Ask =
  | { readonly kind: "confirmation"; readonly call_id: string; readonly question: string }
  | { readonly kind: "interrupt"; readonly interrupt_id: string; readonly block: Block };

/** The structured output block; whatever a server leaves out is empty. */
export interface Block {
  readonly title: string;
  readonly description: string;
  readonly rows: readonly { readonly label: string; readonly value: string }[];
  readonly questions: readonly Question[];
  readonly actions: readonly { readonly label: string; readonly value: string }[];
}

export interface Question {
  readonly id: string;
  readonly label: string;
  readonly type: string;
  readonly options: readonly string[];
  readonly default: string;
}

/** Reads the JSON text of an `interrupt_request`; text of any other kind is shown as it stands. */
export function parseInterrupt(content: string): {
  interrupt_id: string | undefined;
  block: Block;
} {
  const value = parseJson(content);
  if (!isRecord(value))
    return { interrupt_id: undefined, block: { ...EMPTY, description: content } };
  const { interrupt_id, schema } = value;
  return {
    interrupt_id: typeof interrupt_id === "string" ? interrupt_id : undefined,
    block: isRecord(schema) ? blockOf(schema) : { ...EMPTY, description: content },
  };
}

const EMPTY: Block = { title: "", description: "", rows: [], questions: [], actions: [] };

const blockOf = ({
  title,
  description,
  rows,
  questions,
  actions,
}: Record<string, unknown>): Block => ({
  title: text(title),
  description: text(description),
  rows: records(rows).map(({ label, value }) => ({ label: text(label), value: text(value) })),
  actions: records(actions).map(({ label, value }) => ({ label: text(label), value: text(value) })),
  questions: records(questions).map(questionOf),
});

const questionOf = ({
  id,
  label,
  type,
  options,
  default: preset,
}: Record<string, unknown>): Question => ({
  id: text(id),
  label: text(label),
  type: text(type),
  options: records(options).map((option) => optionText(option)),
  default: text(preset),
});

const optionText = ({ label, value }: Record<string, unknown>): string => text(value ?? label);

const text = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

/** The request that answers, for people who have a terminal beside this one. */
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
  const answers = block.questions.map(({ id, options, default: value }) => ({
    question_id: id,
    value: value || options[0] || "…",
  }));
  const [action] = block.actions;
  const payload = {
    answers:
      answers.length === 0 && action ? [{ question_id: "action", value: action.value }] : answers,
  };
  return {
    path: `/api/v1/schemas/${schema}/chat`,
    body: { session_id, resume_interrupt: { interrupt_id, payload } },
  };
}
