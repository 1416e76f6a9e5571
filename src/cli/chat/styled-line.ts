import { columnsOf, expandTabs, fittingStart, graphemes } from "./text-width.ts";

/** The terminal's own sixteen colours: they fit the theme that its owner chose. */
export type Colour = "red" | "green" | "yellow" | "blue" | "magenta" | "cyan" | "gray";

export interface Style {
  readonly colour?: Colour | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  readonly italic?: boolean | undefined;
  readonly underline?: boolean | undefined;
  readonly strike?: boolean | undefined;
  readonly inverse?: boolean | undefined;
  /** Only addresses that `safeHref` let through. */
  readonly href?: string | undefined;
}

/** A piece of text in one style. Its text is sanitized and, but for wrapping, has no line feed. */
export interface Span extends Style {
  readonly text: string;
}

/** One row of the terminal. */
export type Line = readonly Span[];

export const span = (text: string, style: Style = {}): Span => ({ ...style, text });

export const lineColumns = (line: Line): number =>
  line.reduce((columns, { text }) => columns + columnsOf(text), 0);

export const lineText = (line: Line): string => line.map(({ text }) => text).join("");

/** Breaks spans into rows of at most `columns`, at spaces where possible; line feeds are kept. */
export function wrapSpans(spans: Line, columns: number): Line[] {
  const page: Page = { rows: [[]], used: 0, limit: Math.max(1, columns) };
  for (const { text, ...style } of spans) {
    for (const [index, line] of expandTabs(text).split("\n").entries()) {
      if (index > 0) startRow(page);
      for (const word of line.match(WORDS) ?? []) putWord(page, word, style);
    }
  }
  return page.rows.map(joinSpans);
}

interface Page {
  readonly rows: Span[][];
  readonly limit: number;
  used: number;
}

function startRow(page: Page): void {
  page.rows.push([]);
  page.used = 0;
}

function put(page: Page, text: string, style: Style): void {
  page.rows.at(-1)?.push({ ...style, text });
  page.used += columnsOf(text);
}

function putWord(page: Page, word: string, style: Style): void {
  if (page.used + columnsOf(word) <= page.limit) {
    put(page, word, style);
  } else if (word.startsWith(" ")) {
    putSpace(page, word, style);
  } else {
    putInParts(page, word, style);
  }
}

/** Spaces at the end of a row vanish, those that begin a line stay as its indentation. */
function putSpace(page: Page, space: string, style: Style): void {
  if (page.used > 0) startRow(page);
  else put(page, space.slice(0, page.limit), style);
}

function putInParts(page: Page, word: string, style: Style): void {
  for (const part of breakWord(word, page.limit)) {
    if (page.used > 0) startRow(page);
    put(page, part, style);
  }
}

/** Runs of spaces, and words; writing without spaces may break after any character. */
const WORDS =
  / +|[^ \u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFFEF]+|[\u2E80-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\uFF00-\uFFEF]\p{M}*/gu;

function breakWord(word: string, columns: number): string[] {
  const parts: string[] = [];
  let from = 0;
  while (from < word.length) {
    const part =
      fittingStart(word.slice(from, from + WINDOW), columns) || firstGrapheme(word, from);
    parts.push(part);
    from += part.length;
  }
  return parts;
}

/** A character wider than the terminal still has to go somewhere. */
const firstGrapheme = (text: string, from: number): string =>
  graphemes(text.slice(from, from + WINDOW))[0] ?? "";

/** More than one row of any terminal; a word may have a million characters. */
const WINDOW = 8192;

/** Neighbours of one style become one span, which keeps the number of escape sequences small. */
function joinSpans(spans: readonly Span[]): Line {
  const joined: Span[] = [];
  for (const next of spans) {
    const last = joined.at(-1);
    if (last && sameStyle(last, next))
      joined[joined.length - 1] = { ...last, text: last.text + next.text };
    else joined.push(next);
  }
  return joined;
}

const STYLE_KEYS = [
  "colour",
  "bold",
  "dim",
  "italic",
  "underline",
  "strike",
  "inverse",
  "href",
] as const;

const sameStyle = (one: Style, other: Style): boolean =>
  STYLE_KEYS.every((key) => one[key] === other[key]);

/** Rows with something in front: `first` before the first one, `others` before the rest. */
export const withPrefix = (rows: readonly Line[], first: Line, others: Line): Line[] =>
  rows.map((row, index) => [...(index === 0 ? first : others), ...row]);

/** The row cut to a number of columns. */
export function cutLine(line: Line, columns: number): Line {
  if (lineColumns(line) <= columns) return line;
  const kept: Span[] = [];
  let left = columns - 1;
  for (const piece of line) {
    const text = fittingStart(piece.text, left);
    left -= columnsOf(text);
    kept.push({ ...piece, text });
    if (text !== piece.text) break;
  }
  return columns < 1 ? [] : [...kept, span("…")];
}
