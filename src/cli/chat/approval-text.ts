import { type Confirmation, parseJson } from "./interrupt.ts";
import { safeJson, sanitize } from "./sanitize.ts";
import { type Line, span, withPrefix, wrapSpans } from "./styled-line.ts";

const INDENT = 2;
const MAX_SHOWN_ROWS = 12;
/** Rows of the prompt besides the arguments. */
const OTHER_ROWS = 5;

/**
 * What the tool is to be called with, exactly: characters that a terminal would hide or obey stand there
 * as escapes instead of vanishing.
 */
export function argumentText({ input, question, tool }: Confirmation): string {
  if (input !== undefined) return safeJson(parseJson(input) ?? input, INDENT);
  const { words, values } = splitQuestion(question, tool);
  if (values === undefined) return sanitize(question);
  return `${sanitize(words)}\n${safeJson(values, INDENT)}`;
}

/** A sub-agent's call is told by its question alone, which ends with the arguments as JSON. */
function splitQuestion(question: string, tool: string): { words: string; values: unknown } {
  const words = `${tool} with `;
  const at = question.indexOf(words);
  if (tool === "" || at === -1) return { words: question, values: undefined };
  const end = at + words.length;
  return { words: question.slice(0, end).trim(), values: parseJson(question.slice(end)) };
}

/** An escape that JSON needs only for what cannot be seen; a backslash before it is text. */
const ESCAPED = /(?<!\\)(?:\\\\)*\\u[0-9a-f]{4}/i;

/** Whether something in the arguments cannot be seen, which is worth a warning. */
export const hidesCharacters = (ask: Confirmation): boolean =>
  ESCAPED.test(argumentText(ask)) ||
  (ask.input === undefined && sanitize(ask.question) !== ask.question);

/** Arguments can be long, and are drawn with every turn of the spinner. */
const rows_of = new WeakMap<Confirmation, { readonly columns: number; readonly rows: Line[] }>();

export function argumentRows(ask: Confirmation, columns: number): Line[] {
  const known = rows_of.get(ask);
  if (known?.columns === columns) return known.rows;
  const indent: Line = [span("  ")];
  const lines = argumentText(ask).split("\n");
  const wrapped = lines.flatMap((line) => wrapSpans([span(line)], columns - INDENT));
  const rows = withPrefix(wrapped, indent, indent);
  rows_of.set(ask, { columns, rows });
  return rows;
}

/** How many rows of the arguments are shown at once, and how many are then left. */
export function argumentRoom(
  ask: Confirmation,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): { page: number; hidden: number } {
  const page = Math.max(1, Math.min(MAX_SHOWN_ROWS, rows - OTHER_ROWS));
  return { page, hidden: Math.max(0, argumentRows(ask, columns).length - page) };
}
