import { composerRows, cursorPlace } from "./composer-layout.ts";
import type { ComposerState } from "./composer-state.ts";
import type { Panel } from "./panel.ts";
import { type Line, type Span, span } from "./styled-line.ts";
import { columnsOf, expandTabs } from "./text-width.ts";

export const ANSWER_PROMPT = "> ";
export const REASON_PROMPT = "Why not? ";

interface FieldView {
  readonly columns: number;
  readonly rows: number;
  /** Before the first row; the others are moved in as far. */
  readonly prompt: Span;
  /** Shown while the field is empty. */
  readonly placeholder: string;
}

/** Text that is being written, at most `rows` of it: those around the cursor. */
export function fieldPanel({ value, cursor }: ComposerState, view: FieldView): Panel {
  const { prompt, placeholder } = view;
  const indent = columnsOf(prompt.text);
  const rows = composerRows(value, view.columns - indent);
  const place = cursorPlace(value, cursor, rows);
  const first = Math.max(0, Math.min(place.row - view.rows + 1, rows.length - view.rows));
  const from = Math.min(first, place.row);
  const mark = (row: number) => (row === 0 ? prompt : { ...prompt, text: " ".repeat(indent) });
  const lines = rows
    .slice(from, from + view.rows)
    .map(
      (row, index): Line => [mark(from + index), span(expandTabs(value.slice(row.start, row.end)))],
    );
  return {
    lines: value === "" ? [[prompt, span(placeholder, { dim: true })]] : lines,
    cursor: { x: indent + place.column, y: place.row - from },
  };
}
