import type { ExtractedText, Mark } from "../chunker.ts";
import { underHeading } from "./headings.ts";
import { type Line, linesOf } from "./lines.ts";

const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.+)$/;
const CLOSING = /[ \t]+#+[ \t]*$/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/;
/** A line that an underline makes a heading; under anything else it is a rule or a part of a table. */
const TITLE = /^ {0,3}[^\s#>|\-*+=~`]/;

/** The text as it was written, with its headings; what looks like one in a block of code is none. */
export function extractMarkdown(text: string): ExtractedText {
  const marks: Mark[] = [];
  let headings: readonly string[] = [];
  let before: Line = { start: 0, line: "" };
  for (const line of proseLines(text)) {
    const heading = headingOf(line, before);
    if (heading) {
      headings = underHeading(headings, heading.level, heading.title);
      marks.push({ start: heading.start, headings });
    }
    before = line;
  }
  return { text, marks };
}

/** Lines outside of blocks of code. */
function* proseLines(text: string): Generator<Line> {
  let fence: string | undefined;
  for (const line of linesOf(text)) {
    const sign = FENCE.exec(line.line)?.[1];
    if (fence === undefined && sign === undefined) yield line;
    else if (fence === undefined || fence === sign) fence = fence === undefined ? sign : undefined;
  }
}

function headingOf({ start, line }: Line, before: Line) {
  const [, signs = "", title = ""] = HEADING.exec(line) ?? [];
  if (signs) return { start, level: signs.length, title: title.replace(CLOSING, "").trim() };
  const underline = UNDERLINE.exec(line)?.[1];
  if (!underline || !TITLE.test(before.line)) return undefined;
  const level = underline.startsWith("=") ? 1 : 2;
  return { start: before.start, level, title: before.line.trim() };
}
