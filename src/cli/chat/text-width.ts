import stringWidth from "string-width";

const PRINTABLE_ASCII = /^[ -~]*$/;
const TAB_STOP = 4;

const graphemes_of = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** What a reader takes for single characters: an emoji family is one, so is a letter with its accent. */
export const graphemes = (text: string): string[] =>
  PRINTABLE_ASCII.test(text)
    ? text.split("")
    : Array.from(graphemes_of.segment(text), ({ segment }) => segment);

/** Columns a text takes on the screen. */
export const columnsOf = (text: string): number =>
  PRINTABLE_ASCII.test(text) ? text.length : stringWidth(text);

/** Tabs have no width of their own, so they become spaces before anything is measured. */
export const expandTabs = (text: string): string => text.replaceAll("\t", " ".repeat(TAB_STOP));

/** The text cut to a number of columns, with an ellipsis where something is missing. */
export function cutToColumns(text: string, columns: number): string {
  const start = fittingStart(text, columns);
  if (start.length === text.length) return text;
  return columns < 1 ? "" : `${fittingStart(text, columns - 1)}…`;
}

/** The longest beginning of a text that fits, never a part of a grapheme. */
export function fittingStart(text: string, columns: number): string {
  const reach = text.slice(0, reachOf(columns));
  if (columnsOf(reach) <= columns) return reach;
  let width = 0;
  let end = 0;
  for (const grapheme of graphemes(reach)) {
    width += columnsOf(grapheme);
    if (width > columns) break;
    end += grapheme.length;
  }
  return reach.slice(0, end);
}

/** A row needs no more characters than this, so a text of a million is not measured as a whole. */
const reachOf = (columns: number): number => 32 + columns * 16;
