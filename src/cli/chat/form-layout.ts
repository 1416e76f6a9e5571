import type { OpenForm } from "./asks.ts";
import { ANSWER_PROMPT, fieldPanel } from "./field-layout.ts";
import { type Field, stepsOf } from "./form-state.ts";
import type { Option, Question } from "./interrupt.ts";
import type { Panel } from "./panel.ts";
import { sanitizeLine } from "./sanitize.ts";
import { type Line, lineColumns, type Span, span, withPrefix, wrapSpans } from "./styled-line.ts";
import { columnsOf } from "./text-width.ts";

const DIM = { dim: true } as const;
const CHOSEN = { bold: true, colour: "cyan" } as const;
const MAX_TEXT_ROWS = 6;

/** The question that is asked now, or the buttons, with what was given so far. */
export function formPanel(open: OpenForm, columns: number): Panel {
  const { form, ask } = open;
  const head = headLines(open, columns);
  const question = ask.block.questions[form.at];
  const field = form.fields[form.at];
  const step = question && field ? fieldStep(question, field, columns) : actionStep(open, columns);
  const keys = wrapSpans([span(keyHelp(open), DIM)], columns);
  return {
    lines: [...head, ...step.lines, ...keys],
    cursor: { x: step.cursor.x, y: head.length + step.cursor.y },
  };
}

function headLines({ form, ask: { block } }: OpenForm, columns: number): Line[] {
  const steps = stepsOf(block);
  const title = sanitizeLine(block.title) || "The agent asks";
  const progress = steps > 1 ? `  ${form.at + 1}/${steps}` : "";
  return wrapSpans([span(title, { bold: true, colour: "yellow" }), span(progress, DIM)], columns);
}

function keyHelp({ form, sent, ask: { block } }: OpenForm): string {
  if (sent) return "sending…";
  const is_last = form.at === stepsOf(block) - 1;
  const type = form.fields[form.at]?.type ?? "actions";
  return [
    ...(type === "multiselect" ? ["space chooses"] : []),
    ...(type === "actions" && block.actions.length > 1 ? ["← → choose"] : []),
    is_last ? "enter sends" : "enter goes on",
    ...(form.at > 0 ? ["shift+tab back"] : []),
    "esc leaves",
  ].join(" · ");
}

function fieldStep(question: Question, field: Field, columns: number): Panel {
  const label = wrapSpans([span(sanitizeLine(question.label))], columns);
  const step =
    field.type === "text"
      ? fieldPanel(field.composer, {
          columns,
          rows: MAX_TEXT_ROWS,
          prompt: span(ANSWER_PROMPT, CHOSEN),
          placeholder: "",
        })
      : choicePanel(question.options, field, columns);
  return {
    lines: [...label, ...step.lines],
    cursor: { x: step.cursor.x, y: label.length + step.cursor.y },
  };
}

function choicePanel(
  options: readonly Option[],
  field: Exclude<Field, { readonly type: "text" }>,
  columns: number,
): Panel {
  const blocks = options.map((option, index) => optionLines(option, index, field, columns));
  return {
    lines: blocks.flat(),
    cursor: { x: 0, y: blocks.slice(0, field.at).flat().length },
  };
}

function optionLines(
  { label }: Option,
  index: number,
  field: Exclude<Field, { readonly type: "text" }>,
  columns: number,
): Line[] {
  const is_here = index === field.at;
  const box = field.type === "multiselect" ? boxOf(field.chosen.includes(index)) : "";
  const mark = `${is_here ? "›" : " "} ${index + 1}. ${box}`;
  const rows = wrapSpans(
    [span(sanitizeLine(label), is_here ? CHOSEN : {})],
    columns - columnsOf(mark),
  );
  return withPrefix(rows, [span(mark, is_here ? CHOSEN : DIM)], [span(" ".repeat(mark.length))]);
}

const boxOf = (is_chosen: boolean): string => (is_chosen ? "[x] " : "[ ] ");

const BUTTON_GAP = 2;

/** Buttons beside each other, as many as fit, then below each other. */
function actionStep({ form, ask: { block } }: OpenForm, columns: number): Panel {
  const buttons = block.actions.map(({ label }, index) =>
    index === form.action
      ? span(`› [${sanitizeLine(label)}]`, CHOSEN)
      : span(`  [${sanitizeLine(label)}]`),
  );
  const rows = flow(buttons, columns);
  const y = rows.findIndex((row) => row.some(({ colour }) => colour !== undefined));
  const chosen = rows[y]?.findIndex(({ colour }) => colour !== undefined) ?? 0;
  const x = lineColumns(rows[y]?.slice(0, chosen) ?? []);
  const wrapped = rows.map((row) => wrapSpans(row, columns));
  return {
    lines: wrapped.flat(),
    cursor: { x, y: wrapped.slice(0, Math.max(0, y)).flat().length },
  };
}

function flow(buttons: readonly Span[], columns: number): Span[][] {
  const rows: Span[][] = [];
  for (const button of buttons) {
    const row = rows.at(-1);
    const used = row ? lineColumns(row) + BUTTON_GAP : columns;
    if (row && used + columnsOf(button.text) <= columns) {
      row.push(span(" ".repeat(BUTTON_GAP)), button);
    } else {
      rows.push([button]);
    }
  }
  return rows;
}
