import { columnsOf, graphemes } from "./text-width.ts";

/** A row of the composer: a part of its text. */
export interface ComposerRow {
  readonly start: number;
  readonly end: number;
}

/** Tabs have no width of their own. */
const TAB_COLUMNS = 4;

/** The rows of a text; one column stays free, so that the cursor has a place behind the last character. */
export function composerRows(value: string, columns: number): ComposerRow[] {
  const limit = Math.max(1, columns - 1);
  const rows: ComposerRow[] = [];
  let start = 0;
  for (const line of value.split("\n")) {
    rows.push(...lineRows(line, start, limit));
    start += line.length + 1;
  }
  return rows;
}

function lineRows(line: string, offset: number, limit: number): ComposerRow[] {
  const rows: ComposerRow[] = [];
  let start = 0;
  let end = 0;
  let used = 0;
  for (const grapheme of graphemes(line)) {
    const width = graphemeColumns(grapheme);
    if (used + width > limit && end > start) {
      rows.push({ start: offset + start, end: offset + end });
      start = end;
      used = 0;
    }
    used += width;
    end += grapheme.length;
  }
  return [...rows, { start: offset + start, end: offset + end }];
}

const graphemeColumns = (grapheme: string): number =>
  grapheme === "\t" ? TAB_COLUMNS : columnsOf(grapheme);

const rowColumns = (text: string): number =>
  graphemes(text).reduce((columns, grapheme) => columns + graphemeColumns(grapheme), 0);

export interface CursorPlace {
  readonly row: number;
  readonly column: number;
}

export function cursorPlace(
  value: string,
  cursor: number,
  rows: readonly ComposerRow[],
): CursorPlace {
  const row = rows.findLastIndex(({ start }) => start <= cursor);
  const { start = 0 } = rows[row] ?? {};
  return { row: Math.max(0, row), column: rowColumns(value.slice(start, cursor)) };
}

/** Where the cursor goes a row up or down, near its column; `undefined` beyond the first and last row. */
export function moveVertically(
  value: string,
  cursor: number,
  columns: number,
  step: -1 | 1,
): number | undefined {
  const rows = composerRows(value, columns);
  const place = cursorPlace(value, cursor, rows);
  const target = rows[place.row + step];
  if (!target) return undefined;
  let used = 0;
  let at = target.start;
  for (const grapheme of graphemes(value.slice(target.start, target.end))) {
    used += graphemeColumns(grapheme);
    if (used > place.column) break;
    at += grapheme.length;
  }
  return at;
}
