import type { MarkedToken, Token, Tokens } from "marked";
import { codeLines } from "./code-colours.ts";
import { inlineSpans } from "./markdown-inline.ts";
import { lexDocument } from "./markdown-lexer.ts";
import { tableLines } from "./markdown-table.ts";
import { sanitize } from "./sanitize.ts";
import { type Line, type Span, span, withPrefix, wrapSpans } from "./styled-line.ts";

const MAX_LIST_DEPTH = 6;
/** Lists that are indented too little to be nested still look nested. */
const MAX_MARGIN = 6;
const BULLETS = ["•", "◦", "▪"] as const;
const DIM = { dim: true } as const;

/** Markdown as rows of at most `columns`. Whatever the source holds, the rows are harmless. */
export function markdownLines(source: string, columns: number): Line[] {
  const text = sanitize(source).replace(/^\n+|\n+$/g, "");
  const tokens = lexDocument(text);
  return tokens ? blockLines(tokens, columns, 0) : wrapSpans([span(text)], columns);
}

/** Blocks with an empty row between them, but for lists that follow each other directly. */
function blockLines(tokens: readonly Token[], columns: number, depth: number): Line[] {
  const lines: Line[] = [];
  for (const [index, token] of tokens.entries()) {
    const block = tokenLines(token as MarkedToken, columns, depth);
    if (block.length === 0) continue;
    const is_same_list = token.type === "list" && tokens[index - 1]?.type === "list";
    if (lines.length > 0 && !is_same_list) lines.push([]);
    lines.push(...block);
  }
  return lines;
}

function tokenLines(token: MarkedToken, columns: number, depth: number): Line[] {
  switch (token.type) {
    case "space":
    case "def":
    case "checkbox":
      return [];
    case "heading":
      return wrapSpans(headingSpans(token), columns);
    case "code":
      return codeBlock(token, columns);
    case "blockquote": {
      const bar = [span("│ ", DIM)];
      return withPrefix(blockLines(token.tokens, columns - 2, depth + 1), bar, bar);
    }
    case "list":
      return listLines(token, columns, depth);
    case "table":
      return tableLines(token, columns);
    case "hr":
      return [[span("─".repeat(Math.max(1, Math.min(columns, 40))), DIM)]];
    case "html":
      return wrapSpans([span(token.text.trimEnd(), DIM)], columns);
    case "paragraph":
      return wrapSpans(inlineSpans(token.tokens), columns);
    case "text":
      return wrapSpans(inlineSpans(token.tokens ?? [token]), columns);
    default:
      return wrapSpans(inlineSpans([token]), columns);
  }
}

function headingSpans({ tokens, depth }: Tokens.Heading): Span[] {
  if (depth === 1) return inlineSpans(tokens, { bold: true, underline: true });
  return inlineSpans(tokens, depth === 2 ? { bold: true } : { bold: true, italic: true });
}

function codeBlock({ text, lang }: Tokens.Code, columns: number): Line[] {
  const rows = codeLines(text, lang).flatMap((line) => wrapSpans(line, columns - 2));
  return withPrefix(rows, [span("  ")], [span("  ")]);
}

function listLines(list: Tokens.List, columns: number, depth: number): Line[] {
  const margin = " ".repeat(Math.min(MAX_MARGIN, list.raw.search(/\S|$/)));
  const start = list.start === "" ? 1 : list.start;
  const widest = `${start + list.items.length - 1}. `.length;
  return list.items.flatMap((item, index) => {
    const marker =
      margin + (list.ordered ? `${start + index}. `.padStart(widest) : bulletOf(item, depth));
    const indent = depth < MAX_LIST_DEPTH ? marker.length : 0;
    const body = itemLines(item, Math.max(1, columns - indent), depth + 1, list.loose);
    const rows = withPrefix(
      body.length === 0 ? [[]] : body,
      [span(marker, { dim: !item.task })],
      [span(" ".repeat(indent))],
    );
    return list.loose && index > 0 ? [[], ...rows] : rows;
  });
}

function bulletOf(item: Tokens.ListItem, depth: number): string {
  if (item.task) return item.checked ? "☒ " : "☐ ";
  return `${BULLETS[depth % BULLETS.length]} `;
}

/** The blocks of a tight item follow each other without an empty row. */
function itemLines(item: Tokens.ListItem, columns: number, depth: number, loose: boolean): Line[] {
  if (loose) return blockLines(item.tokens, columns, depth);
  return item.tokens.flatMap((token) => tokenLines(token as MarkedToken, columns, depth));
}
