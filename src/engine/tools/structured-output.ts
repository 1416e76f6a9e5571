import { z } from "zod";
import { LIMITS } from "../kernel/limits.ts";

export const SHOW_STRUCTURED_OUTPUT = "show_structured_output";

const { form_questions, form_options } = LIMITS;

const Option = z.strictObject({
  label: z.string().min(1),
  value: z.string().optional().describe("What is returned; the label when absent"),
});

const Question = z.strictObject({
  id: z.string().min(1).optional().describe("Stable identifier, returned with the answer"),
  label: z.string().min(1).describe("The question as the person reads it"),
  type: z.enum(["text", "select", "multiselect"]),
  options: z
    .array(Option)
    .optional()
    .describe(`For select and multiselect: ${form_options.min} to ${form_options.max}`),
  default: z.string().optional().describe("Pre-filled answer"),
});

const Row = z.strictObject({ label: z.string(), value: z.string() });

const Action = z.strictObject({
  label: z.string().min(1),
  type: z.enum(["primary", "secondary"]),
  value: z.string().describe("What is sent back when the button is pressed"),
});

/** What an agent asks to be shown; unknown fields at any level are an error (contract 2.6). */
export const StructuredOutputInput = z
  .strictObject({
    output_type: z.enum(["summary_table", "info", "form"]),
    title: z.string().optional(),
    description: z.string().optional(),
    rows: z.array(Row).optional().describe("For summary_table"),
    actions: z.array(Action).optional().describe("Buttons"),
    questions: z.array(Question).max(form_questions).optional().describe("For form"),
  })
  .superRefine((block, check) => {
    for (const [path, problem] of problemsOf(block)) {
      check.addIssue({ code: "custom", path, message: problem });
    }
  });

type Block = z.infer<typeof StructuredOutputInput>;
type Problem = readonly [path: (string | number)[], problem: string];

function problemsOf({ output_type, questions = [], rows = [] }: Block): Problem[] {
  const problems: Problem[] = questions.flatMap((question, index) =>
    questionProblems(question, index, questions),
  );
  if (output_type === "form" && questions.length === 0) {
    problems.push([["questions"], "a form needs at least one question"]);
  }
  if (output_type === "summary_table" && rows.length === 0) {
    problems.push([["rows"], "a summary_table needs at least one row"]);
  }
  return problems;
}

type Question = z.infer<typeof Question>;

function questionProblems(
  { id, type, options }: Question,
  index: number,
  questions: readonly Question[],
): Problem[] {
  const problems: Problem[] = [];
  const { min, max } = form_options;
  const count = options?.length ?? 0;
  if (type !== "text" && (count < min || count > max)) {
    problems.push([["questions", index, "options"], `${type} needs ${min} to ${max} options`]);
  }
  if (id === undefined && questions.length > 1) {
    problems.push([["questions", index, "id"], "is required when there are several questions"]);
  }
  if (id !== undefined && questions.findIndex((other) => other.id === id) < index) {
    problems.push([["questions", index, "id"], `"${id}" is used twice`]);
  }
  return problems;
}

/** The block as clients get it: every question has an id, every option a value. */
export interface StructuredOutput extends Omit<Block, "questions"> {
  readonly questions?: readonly ShownQuestion[] | undefined;
}

export interface ShownQuestion extends Omit<Question, "id" | "options"> {
  readonly id: string;
  readonly options?: readonly { readonly label: string; readonly value: string }[] | undefined;
}

/** Fills in what the agent may leave out; `interrupt_id` makes a lone question's id. */
export function completeBlock(block: Block, interrupt_id: string): StructuredOutput {
  const { questions, ...rest } = block;
  if (!questions) return rest;
  return {
    ...rest,
    questions: questions.map(({ id, options, ...question }) => ({
      ...question,
      id: id ?? `q-${interrupt_id.slice(0, 8)}`,
      ...(options
        ? { options: options.map(({ label, value = label }) => ({ label, value })) }
        : {}),
    })),
  };
}

const LISTS = ["rows", "actions", "questions"];

/** Models like to write lists as JSON texts; that is taken for what they mean. */
export function decodeLists(input: unknown): unknown {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  const decoded: Record<string, unknown> = { ...input };
  for (const name of LISTS) if (name in decoded) decoded[name] = decodeList(decoded[name]);
  if (Array.isArray(decoded.questions)) decoded.questions = decoded.questions.map(decodeOptions);
  return decoded;
}

function decodeOptions(question: unknown): unknown {
  if (typeof question !== "object" || question === null || !("options" in question))
    return question;
  return { ...question, options: decodeList(question.options) };
}

function decodeList(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const Answers = z.object({
  answers: z.array(
    z.object({ question_id: z.string(), value: z.unknown(), label: z.string().optional() }),
  ),
});

/** Providers refuse an empty message. */
const NO_ANSWERS = "(no answers)";

/** A person's answers as the model reads them: each question's label with the answer's. */
export function describeAnswers(block: StructuredOutput, payload: unknown): string {
  const parsed = Answers.safeParse(payload ?? { answers: [] });
  if (!parsed.success) return textOf(payload) || NO_ANSWERS;
  const lines = parsed.data.answers.map(({ question_id, value, label }) => {
    const question = block.questions?.find(({ id }) => id === question_id);
    return `${question?.label ?? question_id}: ${label ?? labelsOf(block, question, textOf(value))}`;
  });
  return lines.join("\n") || NO_ANSWERS;
}

const textOf = (value: unknown = ""): string =>
  typeof value === "string" ? value : JSON.stringify(value);

/** Selected values are joined with newlines (contract 2.7). */
function labelsOf(
  { actions = [] }: StructuredOutput,
  question: ShownQuestion | undefined,
  text: string,
): string {
  const choices = question?.options ?? (question ? [] : actions);
  if (choices.length === 0) return text;
  const labelOf = (part: string) => choices.find(({ value }) => value === part)?.label ?? part;
  return text.split("\n").map(labelOf).join(", ");
}
