import { type Line, span, withPrefix } from "./styled-line.ts";

/** Rows with a place for the cursor. */
export interface Panel {
  readonly lines: readonly Line[];
  readonly cursor: { readonly x: number; readonly y: number };
}

/** What asks for something stands out. */
const BAR: Line = [span("┃ ", { colour: "yellow" })];
export const BAR_COLUMNS = 2;

export const barred = (lines: readonly Line[]): Line[] => withPrefix(lines, BAR, BAR);

export const barredPanel = ({ lines, cursor }: Panel): Panel => ({
  lines: barred(lines),
  cursor: { x: cursor.x + BAR_COLUMNS, y: cursor.y },
});

/** As many rows as there is room for, those around the cursor. */
export function fitPanel({ lines, cursor }: Panel, rows: number): Panel {
  if (lines.length <= rows) return { lines, cursor };
  const room = Math.max(1, rows);
  const from = Math.min(Math.max(0, cursor.y - Math.floor(room / 2)), lines.length - room);
  return { lines: lines.slice(from, from + room), cursor: { ...cursor, y: cursor.y - from } };
}
