import type { Tokens } from "marked";
import { inlineSpans } from "./markdown-inline.ts";
import { type Line, lineColumns, type Span, span, withPrefix, wrapSpans } from "./styled-line.ts";

const SEPARATOR = " │ ";
const MIN_COLUMN = 5;
const DIM = { dim: true } as const;

/** A table whose columns share the width; without room for them, each row as a list of its cells. */
export function tableLines(table: Tokens.Table, columns: number): Line[] {
  const header = table.header.map((cell) => inlineSpans(cell.tokens, { bold: true }));
  const rows = table.rows.map((row) => row.map((cell) => inlineSpans(cell.tokens)));
  const widths = fitColumns(naturalWidths([header, ...rows]), columns - gapsOf(header.length));
  if (!widths) return rows.flatMap((row, index) => cardLines(header, row, columns, index));
  const alignments = table.header.map(({ align }) => align ?? "left");
  const rule = [span(widths.map((width) => "─".repeat(width)).join("─┼─"), DIM)];
  return [
    ...rowLines(header, widths, alignments),
    rule,
    ...rows.flatMap((row) => rowLines(row, widths, alignments)),
  ];
}

const gapsOf = (count: number): number => Math.max(0, count - 1) * SEPARATOR.length;

const naturalWidths = (rows: readonly Line[][]): number[] =>
  (rows[0] ?? []).map((_, column) =>
    Math.max(1, ...rows.map((row) => lineColumns(row[column] ?? []))),
  );

/** Narrow columns keep their width; what is left is shared by the wide ones. */
function fitColumns(natural: readonly number[], available: number): number[] | undefined {
  if (available < natural.length * MIN_COLUMN && sum(natural) > available) return undefined;
  const widths = natural.map(() => 0);
  const open = new Set(natural.keys());
  let left = available;
  for (const column of [...natural.keys()].sort((a, b) => (natural[a] ?? 0) - (natural[b] ?? 0))) {
    const width = Math.min(natural[column] ?? 0, Math.floor(left / open.size));
    widths[column] = width;
    left -= width;
    open.delete(column);
  }
  return widths;
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, next) => total + next, 0);

type Alignment = "left" | "right" | "center";

function rowLines(
  cells: readonly Line[],
  widths: readonly number[],
  alignments: readonly Alignment[],
): Line[] {
  const wrapped = widths.map((width, column) => wrapSpans(cells[column] ?? [], width));
  const height = Math.max(...wrapped.map((rows) => rows.length));
  return Array.from({ length: height }, (_, row) =>
    wrapped.flatMap((rows, column) => [
      ...(column > 0 ? [span(SEPARATOR, DIM)] : []),
      ...aligned(rows[row] ?? [], widths[column] ?? 0, alignments[column] ?? "left"),
    ]),
  );
}

function aligned(line: Line, width: number, alignment: Alignment): Span[] {
  const free = Math.max(0, width - lineColumns(line));
  const before = alignment === "left" ? 0 : alignment === "right" ? free : Math.floor(free / 2);
  return [span(" ".repeat(before)), ...line, span(" ".repeat(free - before))];
}

function cardLines(
  header: readonly Line[],
  row: readonly Line[],
  columns: number,
  index: number,
): Line[] {
  const cells = row.flatMap((cell, column) =>
    withPrefix(
      wrapSpans([...(header[column] ?? []), span(": "), ...cell], columns - 2),
      [],
      [span("  ")],
    ),
  );
  return index === 0 ? cells : [[span("─".repeat(Math.min(columns, 12)), DIM)], ...cells];
}
