import type { ToolCall } from "./chat-entries.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { cutLine, type Line, type Span, span, withPrefix, wrapSpans } from "./styled-line.ts";
import { cutToColumns } from "./text-width.ts";

const MAX_DETAIL_LINES = 60;
const MAX_ARGUMENT_COLUMNS = 40;
/** A cut comes before the work on a text that no screen shows in full. */
const MAX_DETAIL_CHARACTERS = 20_000;
const DIM = { dim: true } as const;

interface ToolView {
  readonly columns: number;
  readonly expanded: boolean;
}

/** A call in one row: mark, name, arguments in short, time; with what it was given and gave below. */
export function toolLines(call: ToolCall, { columns, expanded }: ToolView): Line[] {
  const { result } = call;
  const time = result?.duration_ms === undefined ? "" : `  ${durationText(result.duration_ms)}`;
  const failure = result?.failed ? `  ${sanitizeLine(result.content.slice(0, 200))}` : "";
  const outcome = result ? failure : "  no result";
  const head = toolRow(
    call,
    markOf(call),
    span(`${time}${outcome}`, result?.failed ? { colour: "red" } : DIM),
    columns,
  );
  return expanded ? [head, ...detailLines(call, columns)] : [head];
}

/** The arguments give way to the mark, the name and what stands at the end. */
export function toolRow(call: ToolCall, mark: Span, end: Span, columns: number): Line {
  const name = cutToColumns(sanitizeLine(call.tool), 60);
  const room = columns - 2 - name.length - 2 - Math.min(end.text.length, 30);
  const given = room < 6 ? "" : cutToColumns(argumentText(call), room);
  return cutLine(
    [mark, span(name, { bold: true }), span(given && `  ${given}`, DIM), end],
    columns,
  );
}

function markOf({ result }: ToolCall): Span {
  if (!result) return span("? ", { colour: "yellow" });
  return result.failed ? span("✗ ", { colour: "red" }) : span("✓ ", { colour: "green" });
}

function argumentText(call: ToolCall): string {
  const entries = Object.entries(call.arguments ?? {});
  return entries.map(([name, value]) => `${sanitizeLine(name)}=${shortValue(value)}`).join(" ");
}

function shortValue(value: string): string {
  const line = sanitizeLine(value.slice(0, MAX_ARGUMENT_COLUMNS * 4));
  const shown = cutToColumns(line, MAX_ARGUMENT_COLUMNS);
  return /[\s"]/.test(shown) ? `"${shown}"` : shown;
}

function detailLines(call: ToolCall, columns: number): Line[] {
  const given = Object.entries(call.arguments ?? {}).map(([name, value]) => `${name}: ${value}`);
  return [
    ...detail("→ ", given.join("\n"), columns),
    ...detail("← ", call.result?.content ?? "", columns),
  ];
}

function detail(mark: string, text: string, columns: number): Line[] {
  if (text.trim() === "") return [];
  const rows = wrapSpans([span(sanitize(text.slice(0, MAX_DETAIL_CHARACTERS)), DIM)], columns - 4);
  const shown = rows.slice(0, MAX_DETAIL_LINES);
  const is_cut = shown.length < rows.length || text.length > MAX_DETAIL_CHARACTERS;
  const all = is_cut ? [...shown, [span("… and more", { ...DIM, italic: true })]] : shown;
  return withPrefix(all, [span(`  ${mark}`, DIM)], [span("    ")]);
}

/** 0.4s, 12s, 3m 05s. */
export function durationText(duration_ms: number): string {
  const seconds = Math.max(0, duration_ms) / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)}s`;
  if (seconds < 60) return `${Math.floor(seconds)}s`;
  return `${Math.floor(seconds / 60)}m ${String(Math.floor(seconds % 60)).padStart(2, "0")}s`;
}
