import { type FormatCallback, htmlToText } from "html-to-text";
import type { ExtractedText, Mark } from "../chunker.ts";
import { underHeading } from "./headings.ts";
import { linesOf } from "./lines.ts";

/** Stands for a heading until the text is laid out; a private character that is taken out of every page. */
const SIGN = "\uE000";
const SIGNED = new RegExp(`^${SIGN}([1-6])(.*)$`);
const HTML_CHARACTERS_MAX = 64 * 1024 * 1024;

const heading: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 2 });
  builder.addLiteral(`${SIGN}${element.name?.slice(1)}`);
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 2 });
};

const row: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 1 });
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 1 });
};

/** A row stays on one line, whatever paragraphs its cells are made of. */
function cellFormatters() {
  let depth = 0;
  const block =
    (lineBreaks: number): FormatCallback =>
    (element, walk, builder) => {
      if (depth === 0) builder.openBlock({ leadingLineBreaks: lineBreaks });
      walk(element.children, builder);
      if (depth === 0) builder.closeBlock({ trailingLineBreaks: lineBreaks });
      else builder.addInline(" ");
    };
  const cell: FormatCallback = (element, walk, builder) => {
    depth += 1;
    walk(element.children, builder);
    depth -= 1;
    builder.addInline(" | ");
  };
  const lineBreak: FormatCallback = (_element, _walk, builder) =>
    depth === 0 ? builder.addLineBreak() : builder.addInline(" ");
  return { cell, lineBreak, part: block(1), paragraph: block(2) };
}

/** What a reader sees of a page, without its navigation; a table's row is a line. */
export function extractHtml(html: string): ExtractedText {
  const laidOut = htmlToText(html.replaceAll(SIGN, ""), {
    wordwrap: false,
    limits: { maxInputLength: HTML_CHARACTERS_MAX },
    formatters: { heading, row, ...cellFormatters() },
    selectors: [
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({ selector, format: "heading" })),
      ...["nav", "footer", "img", "template"].map((selector) => ({ selector, format: "skip" })),
      { selector: "table", format: "block" },
      { selector: "tr", format: "row" },
      { selector: "p", format: "paragraph" },
      { selector: "div", format: "part" },
      { selector: "br", format: "lineBreak" },
      { selector: "td", format: "cell" },
      { selector: "th", format: "cell" },
      { selector: "a", options: { ignoreHref: true } },
    ],
  });
  return readHeadings(laidOut);
}

function readHeadings(laidOut: string): ExtractedText {
  const marks: Mark[] = [];
  const lines: string[] = [];
  let headings: readonly string[] = [];
  let start = 0;
  for (const { line: given } of linesOf(laidOut)) {
    const [, level, title = ""] = SIGNED.exec(given) ?? [];
    const line = (level === undefined ? given : title).replaceAll(SIGN, "");
    if (level !== undefined && title.trim() !== "") {
      headings = underHeading(headings, Number(level), title.trim());
      marks.push({ start, headings });
    }
    lines.push(line);
    start += line.length + 1;
  }
  return { text: lines.join("\n"), marks };
}
