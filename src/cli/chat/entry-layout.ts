import { answeredLines, argumentLines, blockLines, verdictLines } from "./block-layout.ts";
import type { Entry } from "./chat-entries.ts";
import type { ChatTarget } from "./chat-session.ts";
import { markdownLines } from "./markdown-layout.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { sourceLines } from "./sources.ts";
import { type Line, type Span, type Style, span, withPrefix, wrapSpans } from "./styled-line.ts";
import { durationText, toolLines } from "./tool-layout.ts";

/** What the rows of an entry depend on besides the entry. */
export interface Scene {
  readonly columns: number;
  readonly place: string;
  readonly target: ChatTarget;
  readonly session_id?: string | undefined;
}

const GUTTER = 2;
const MAX_PROMPT_ROWS = 12;
export const DIM = { dim: true } as const;

/** The rows of a finished entry, with the empty row that parts it from the one before. */
export function entryLines(entry: Entry, previous: Entry | undefined, scene: Scene): Line[] {
  const rows = contentLines(entry, scene);
  return needsGap(entry, previous) ? [[], ...rows] : rows;
}

function needsGap(entry: Entry, previous: Entry | undefined): boolean {
  if (!previous) return false;
  if (entry.kind === "assistant") return !entry.continued;
  return !isCall(entry) || !isCall(previous);
}

/** A verdict belongs to its call. */
const isCall = ({ kind }: Entry): boolean => kind === "tool" || kind === "verdict";

function contentLines(entry: Entry, scene: Scene): Line[] {
  const { columns } = scene;
  switch (entry.kind) {
    case "header":
      return headerLines(scene);
    case "user":
      return promptLines(entry, columns);
    case "assistant":
      return answerLines(entry.source, entry.opening, columns);
    case "reasoning":
      return reasoningLines(entry, columns);
    case "tool":
      return toolLines(entry.call, { columns, expanded: entry.expanded });
    case "sources":
      return withGutter(sourceLines(entry.sources, columns - GUTTER), span("  "));
    case "block":
      return blockLines(entry.block, columns);
    case "answered":
      return answeredLines(entry.title, entry.answers, columns);
    case "verdict":
      return verdictLines(entry.tool, entry.verdict, columns);
    case "arguments":
      return argumentLines(entry.tool, entry.text, columns);
    case "error":
      return textLines("✗ ", { colour: "red" }, entry.message, { colour: "red" }, columns);
    case "notice":
      return textLines("· ", DIM, entry.text, DIM, columns);
  }
}

/** A long prompt is known to its writer: its beginning is enough. */
function promptLines({ text, expanded }: Entry & { kind: "user" }, columns: number): Line[] {
  const style = { colour: "cyan" } as const;
  const rows = textLines("> ", { ...style, bold: true }, text, style, columns);
  if (expanded || rows.length <= MAX_PROMPT_ROWS) return rows;
  const shown = rows.slice(0, MAX_PROMPT_ROWS - 1);
  return [...shown, [span(`  … ${rows.length - shown.length} more lines`, DIM)]];
}

/** A part of an answer: a mark where the answer begins, its other rows below each other. */
export const answerLines = (source: string, opening: boolean, columns: number): Line[] =>
  withGutter(
    markdownLines(source, columns - GUTTER),
    opening ? span("● ", { colour: "green" }) : span("  "),
  );

export const withGutter = (rows: readonly Line[], mark: Span): Line[] =>
  withPrefix(rows, [mark], [span("  ")]);

const textLines = (
  mark: string,
  mark_style: Style,
  text: string,
  style: Style,
  columns: number,
): Line[] =>
  withGutter(wrapSpans([span(sanitize(text), style)], columns - GUTTER), span(mark, mark_style));

function reasoningLines(entry: Entry & { kind: "reasoning" }, columns: number): Line[] {
  const { text, duration_ms, expanded } = entry;
  const time = duration_ms === undefined ? "" : ` for ${durationText(duration_ms)}`;
  const head: Line = [span(`∴ thought${time}`, DIM)];
  if (!expanded) return [head];
  const rows = wrapSpans([span(sanitize(text.trim()), { ...DIM, italic: true })], columns - GUTTER);
  return [head, ...withGutter(rows, span("  "))];
}

function headerLines({ columns, place, target, session_id }: Scene): Line[] {
  const facts = [
    place,
    target.agent && `agent ${target.agent}`,
    target.model && `model ${target.model}`,
    session_id && `session ${session_id}`,
  ].flatMap((fact) => (fact ? [sanitizeLine(fact)] : []));
  return [
    ...wrapSpans(
      [span("troupe", { bold: true }), span(` · ${sanitizeLine(target.schema)}`)],
      columns,
    ),
    ...wrapSpans([span(facts.join(" · "), DIM)], columns),
    ...wrapSpans([span("/help for commands · esc stops an answer · ctrl+d quits", DIM)], columns),
  ];
}
