import type { Verdict } from "./approval-state.ts";
import type { AnswerText } from "./form-state.ts";
import type { Block } from "./interrupt.ts";
import { barred } from "./panel.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { type Line, span, withPrefix, wrapSpans } from "./styled-line.ts";

const DIM = { dim: true } as const;
const INDENT = 2;

/** What an agent shows: a table, or something to know before answering. */
export function blockLines({ title, description, rows }: Block, columns: number): Line[] {
  const lines = [
    ...(title === "" ? [] : [[span(sanitizeLine(title), { bold: true, colour: "yellow" })]]),
    ...(description === "" ? [] : [[span(sanitize(description))]]),
    ...rows.map(({ label, value }) => [
      span(`${sanitizeLine(label)}: `, DIM),
      span(sanitize(value)),
    ]),
  ];
  return barred(lines.flatMap((line) => wrapSpans(line, columns - INDENT)));
}

const OK = { colour: "green" } as const;
const NOT_OK = { colour: "red" } as const;

/** A form that was answered, in short. */
export function answeredLines(
  title: string,
  answers: readonly AnswerText[],
  columns: number,
): Line[] {
  const head = [span(sanitizeLine(title) || "Answered", { bold: true })];
  const rows = answers.flatMap(({ label, text }) =>
    wrapSpans(
      [span(questionText(label), DIM), span(sanitize(text) || "(nothing)")],
      columns - INDENT,
    ),
  );
  return indented([...wrapSpans(head, columns - INDENT), ...rows], "✓ ", OK);
}

/** A label that ends like a question needs no colon. */
export function questionText(label: string): string {
  const line = sanitizeLine(label);
  if (line === "") return "";
  return /[?:？：]$/.test(line) ? `${line} ` : `${line}: `;
}

export function verdictLines(tool: string, verdict: Verdict, columns: number): Line[] {
  const name = sanitizeLine(tool);
  const reason = sanitizeLine(verdict.reason);
  const { is_approved } = verdict;
  const rows = wrapSpans(
    [
      span(is_approved ? "approved" : "rejected", is_approved ? OK : NOT_OK),
      span(name && ` ${name}`, { bold: true }),
      span(reason && `: ${reason}`),
    ],
    columns - INDENT,
  );
  return indented(rows, is_approved ? "✓ " : "✗ ", is_approved ? OK : NOT_OK);
}

/** The arguments of a call in full, for those whom the prompt shows too little of them. */
export function argumentLines(tool: string, text: string, columns: number): Line[] {
  const head = span(`Arguments of ${sanitizeLine(tool) || "the call"}`, { bold: true });
  const rows = text.split("\n").flatMap((line) => wrapSpans([span(line)], columns - INDENT));
  return barred([...wrapSpans([head], columns - INDENT), ...rows]);
}

const indented = (rows: readonly Line[], mark: string, style: { colour: "green" | "red" }) =>
  withPrefix(rows, [span(mark, style)], [span("  ")]);
