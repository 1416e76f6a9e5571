import type { Colour, Line, Span } from "./styled-line.ts";

/** What the terminal may be sent. */
export interface PaintOptions {
  readonly colour: boolean;
  readonly links: boolean;
}

const COLOUR_CODES: Record<Colour, number> = {
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  gray: 90,
};
const BOLD = 1;
const DIM = 2;
const ITALIC = 3;
const UNDERLINE = 4;
const INVERSE = 7;
const STRIKE = 9;

/** All text is sanitized long before; should a way around that be found, it ends here. */
const CONTROLS = /\p{Cc}/gu;

/** Rows as text with escape sequences: the only place of the chat that writes any into text. */
export const paintLines = (lines: readonly Line[], options: PaintOptions): string =>
  lines.map((line) => paintLine(line, options)).join("\n");

export const paintLine = (line: Line, options: PaintOptions): string =>
  line.map((piece) => paintSpan(piece, options)).join("");

function paintSpan(span: Span, options: PaintOptions): string {
  const piece = { ...span, text: span.text.replace(CONTROLS, "") };
  const codes = codesOf(piece, options.colour);
  const styled =
    codes.length === 0 ? piece.text : `\u001B[${codes.join(";")}m${piece.text}\u001B[0m`;
  if (piece.href === undefined || !options.links) return styled;
  return `\u001B]8;;${piece.href}\u001B\\${styled}\u001B]8;;\u001B\\`;
}

function codesOf(piece: Span, colour: boolean): number[] {
  const codes: number[] = [];
  if (piece.bold) codes.push(BOLD);
  if (piece.dim) codes.push(DIM);
  if (piece.italic) codes.push(ITALIC);
  if (piece.underline) codes.push(UNDERLINE);
  if (piece.inverse) codes.push(INVERSE);
  if (piece.strike) codes.push(STRIKE);
  if (piece.colour && colour) codes.push(COLOUR_CODES[piece.colour]);
  return codes;
}
