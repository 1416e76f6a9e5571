/** A pause that asks a person: a form or a block of the agent, or the approval of a tool call. */
export type Ask = Confirmation | Interrupt;

export interface Confirmation {
  readonly kind: "confirmation";
  readonly call_id: string;
  /** Older servers leave it out. */
  readonly tool: string;
  readonly question: string;
  /** The arguments as the model wrote them, where the call itself was told. */
  readonly input?: string | undefined;
}

export interface Interrupt {
  readonly kind: "interrupt";
  readonly interrupt_id: string;
  readonly block: Block;
}

/** The structured output block; whatever a server leaves out is empty. */
export interface Block {
  readonly title: string;
  readonly description: string;
  readonly rows: readonly { readonly label: string; readonly value: string }[];
  readonly questions: readonly Question[];
  readonly actions: readonly Action[];
}

export interface Question {
  readonly id: string;
  readonly label: string;
  readonly type: string;
  readonly options: readonly Option[];
  readonly default: string;
}

export interface Option {
  readonly label: string;
  readonly value: string;
}

export interface Action extends Option {
  readonly is_primary: boolean;
}

/** Of two questions with one key, one repeats the other. */
export const askKey = (ask: Ask): string =>
  ask.kind === "interrupt" ? ask.interrupt_id : ask.call_id;

/** A block that only tells something waits for nobody. */
export const needsAnswer = ({ questions, actions }: Block): boolean =>
  questions.length > 0 || actions.length > 0;

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

export interface FormAnswer {
  readonly question_id: string;
  readonly value: string;
  readonly label?: string | undefined;
}

/** Reads the JSON text of an `interrupt_resume` of an approval: whether the call may run. */
export function parseApproval(content: string): boolean {
  const value = parseJson(content);
  const payload = isRecord(value) ? value.payload : undefined;
  const answers = isRecord(payload) ? payload.answers : undefined;
  return Array.isArray(answers) && answers[0] === "approve";
}

/** Reads the JSON text of an `interrupt_resume`; a payload of another shape has no answers to show. */
export function parseAnswers(content: string): readonly FormAnswer[] {
  const value = parseJson(content);
  const payload = isRecord(value) ? value.payload : undefined;
  return records(isRecord(payload) ? payload.answers : undefined).map((answer) => ({
    question_id: text(answer.question_id),
    value: text(answer.value),
    ...(typeof answer.label === "string" ? { label: answer.label } : {}),
  }));
}

const EMPTY: Block = { title: "", description: "", rows: [], questions: [], actions: [] };

const blockOf = (schema: Record<string, unknown>): Block => ({
  title: text(schema.title),
  description: text(schema.description),
  rows: records(schema.rows).map(({ label, value }) => ({
    label: text(label),
    value: text(value),
  })),
  actions: records(schema.actions).map((action) => ({
    ...optionOf(action),
    is_primary: action.type === "primary",
  })),
  questions: records(schema.questions).map(questionOf),
});

const questionOf = (question: Record<string, unknown>): Question => ({
  id: text(question.id),
  label: text(question.label),
  type: text(question.type),
  options: records(question.options).map(optionOf),
  default: text(question.default),
});

const optionOf = ({ label, value }: Record<string, unknown>): Option => ({
  label: text(label ?? value),
  value: text(value ?? label),
});

const text = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
};

const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
