import type { AnswerKey } from "./answer-keys.ts";
import { type ComposerState, composedText, editComposer, emptyComposer } from "./composer-state.ts";
import type { Block, FormAnswer, Option, Question } from "./interrupt.ts";

/** A form that is being filled in. Pure: what a key does to it is a rule without a terminal. */
export interface FormState {
  /** The question that is shown; behind the last one come the buttons. */
  readonly at: number;
  /** One for each question; what was given stays when going back and forth. */
  readonly fields: readonly Field[];
  /** The button that is chosen. */
  readonly action: number;
}

export type Field =
  | { readonly type: "text"; readonly composer: ComposerState }
  | { readonly type: "select"; readonly at: number }
  | { readonly type: "multiselect"; readonly at: number; readonly chosen: readonly number[] };

export const openForm = ({ questions, actions }: Block): FormState => ({
  at: 0,
  fields: questions.map(openField),
  action: Math.max(
    0,
    actions.findIndex(({ is_primary }) => is_primary),
  ),
});

/** A question of an unknown type, or without anything to choose from, is answered with text. */
function openField({ type, options, default: preset }: Question): Field {
  if (options.length === 0 || (type !== "select" && type !== "multiselect")) {
    return { type: "text", composer: editComposer(emptyComposer, { type: "set", text: preset }) };
  }
  const chosen = presetOptions(options, preset);
  const at = chosen[0] ?? 0;
  return type === "select" ? { type, at } : { type, at, chosen };
}

/** Several values stand on lines of their own; agents also write them with commas. */
function presetOptions(options: readonly Option[], preset: string): number[] {
  const find = (names: readonly string[]) =>
    options.flatMap(({ label, value }, index) =>
      names.includes(value) || names.includes(label) ? [index] : [],
    );
  const by_line = find(preset.split("\n"));
  return by_line.length > 0 ? by_line : find(preset.split(",").map((name) => name.trim()));
}

export interface Pressed<State> {
  readonly state: State;
  readonly outcome?: "send" | "leave" | undefined;
}

/** What a key does; `columns` are those of a text field. */
export function pressForm(
  form: FormState,
  block: Block,
  key: AnswerKey,
  columns: number,
): Pressed<FormState> {
  switch (key.type) {
    case "leave":
      return { state: form, outcome: "leave" };
    case "back":
      return { state: back(form) };
    case "next":
      return { state: form.at < stepsOf(block) - 1 ? { ...form, at: form.at + 1 } : form };
    case "enter":
      return form.at < stepsOf(block) - 1
        ? { state: { ...form, at: form.at + 1 } }
        : { state: form, outcome: "send" };
    default:
      return { state: pressStep(form, block, key, columns) };
  }
}

/** The questions, and the buttons where there are any. */
export const stepsOf = ({ questions, actions }: Block): number =>
  questions.length + (actions.length > 0 ? 1 : 0);

const back = (form: FormState): FormState => ({ ...form, at: Math.max(0, form.at - 1) });

function pressStep(form: FormState, block: Block, key: AnswerKey, columns: number): FormState {
  const field = form.fields[form.at];
  if (!field) return pressActions(form, block, key);
  const options = block.questions[form.at]?.options ?? [];
  const is_top = field.type !== "text" && field.at === 0;
  if (is_top && key.type === "move" && key.direction === "up") return back(form);
  const changed =
    field.type === "text"
      ? pressText(field, key, columns)
      : pressChoice(field, key, options.length);
  // Beyond the first row of a text there is nothing but the question before.
  if (changed === field && key.type === "move" && key.direction === "up") return back(form);
  return { ...form, fields: form.fields.with(form.at, changed) };
}

function pressText(field: Field & { type: "text" }, key: AnswerKey, columns: number): Field {
  const { composer } = field;
  switch (key.type) {
    case "edit":
      return { ...field, composer: editComposer(composer, { type: key.edit }) };
    case "insert":
    case "paste":
      return { ...field, composer: editComposer(composer, key) };
    case "move": {
      const moved = editComposer(composer, { type: key.direction, columns, history: [] });
      return moved === composer ? field : { ...field, composer: moved };
    }
    default:
      return field;
  }
}

type ChoiceField = Exclude<Field, { readonly type: "text" }>;

function pressChoice(field: ChoiceField, key: AnswerKey, count: number): Field {
  if (key.type === "move") {
    const at = field.at + (key.direction === "up" ? -1 : 1);
    return { ...field, at: Math.min(Math.max(0, at), count - 1) };
  }
  if (key.type !== "insert") return field;
  if (key.text === " ") return toggle(field, field.at);
  const at = /^[1-9]$/.test(key.text) ? Number(key.text) - 1 : count;
  return at < count ? toggle({ ...field, at }, at) : field;
}

function toggle(field: ChoiceField, option: number): ChoiceField {
  if (field.type === "select") return field;
  const { chosen } = field;
  return chosen.includes(option)
    ? { ...field, chosen: chosen.filter((each) => each !== option) }
    : { ...field, chosen: [...chosen, option].sort((left, right) => left - right) };
}

function pressActions(form: FormState, { actions }: Block, key: AnswerKey): FormState {
  const step = actionStep(key);
  if (step === 0) return form;
  const action = form.action + step;
  if (action < 0 && key.type === "move") return back(form);
  return { ...form, action: Math.min(Math.max(0, action), actions.length - 1) };
}

function actionStep(key: AnswerKey): number {
  if (key.type === "move") return key.direction === "up" ? -1 : 1;
  if (key.type !== "edit") return 0;
  if (key.edit === "left") return -1;
  return key.edit === "right" ? 1 : 0;
}

/** What is sent: each question in its order, then the button. */
export function answersOf(form: FormState, block: Block): FormAnswer[] {
  const answers = block.questions.map((question, index) =>
    fieldAnswer(question, form.fields[index]),
  );
  const action = block.actions[form.action];
  if (!action) return answers;
  return [...answers, { question_id: "action", value: action.value, label: action.label }];
}

function fieldAnswer({ id, options }: Question, field: Field | undefined): FormAnswer {
  if (!field || field.type === "text") {
    return { question_id: id, value: field ? composedText(field.composer).trim() : "" };
  }
  const indexes = field.type === "select" ? [field.at] : field.chosen;
  const chosen = indexes.flatMap((index) => options[index] ?? []);
  return {
    question_id: id,
    value: chosen.map(({ value }) => value).join("\n"),
    label: chosen.map(({ label }) => label).join(", "),
  };
}

/** Answers as people read them, for a transcript: what was asked, and what was said. */
export interface AnswerText {
  readonly label: string;
  readonly text: string;
}

export const answerTexts = (block: Block, answers: readonly FormAnswer[]): AnswerText[] =>
  answers.map(({ question_id, value, label }) => {
    const question = block.questions.find(({ id }) => id === question_id);
    const options = question?.options ?? (question ? [] : block.actions);
    return {
      label: question?.label ?? (question_id === "action" ? "" : question_id),
      text: label ?? labelsOf(options, value),
    };
  });

/** Selected values are joined with newlines. */
function labelsOf(options: readonly Option[], value: string): string {
  if (options.length === 0) return value;
  const labelOf = (part: string) => options.find((each) => each.value === part)?.label ?? part;
  return value.split("\n").map(labelOf).join(", ");
}
