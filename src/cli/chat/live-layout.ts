import { approvalPanel } from "./approval-layout.ts";
import { activeAsk, findAsk, type OpenAsk, type Room } from "./asks.ts";
import type { ChatState } from "./chat-model.ts";
import { answerLines, DIM, type Scene, withGutter } from "./entry-layout.ts";
import { fieldPanel } from "./field-layout.ts";
import { formPanel } from "./form-layout.ts";
import type { LiveView } from "./live-view.ts";
import { hasText, tailSource } from "./markdown-stream.ts";
import { BAR_COLUMNS, barred, barredPanel, fitPanel, type Panel } from "./panel.ts";
import { sanitize, sanitizeLine } from "./sanitize.ts";
import { searchPanel } from "./search-layout.ts";
import { statusLine } from "./status-line.ts";
import { cutLine, type Line, span, wrapSpans } from "./styled-line.ts";
import { durationText, toolRow } from "./tool-layout.ts";

export type LiveRegion = Panel;

/**
 * One row for the cursor below the region, and one above it: when everything from the top of the
 * screen is erased, some terminals keep a copy of it in their scrollback.
 */
const SPARE_ROWS = 2;
const MAX_SHARE = 0.7;
const MIN_FULL_ROWS = 12;
const MAX_COMPOSER_ROWS = 10;
const MAX_SUGGESTIONS = 10;
const MAX_QUEUED = 3;
const MAX_TOOLS = 5;
const MAX_REASONING_ROWS = 4;
/** With fewer rows there are no empty ones. */
const ROWS_FOR_GAPS = 10;
const PROMPT = "> ";
export const PROMPT_COLUMNS = PROMPT.length;

/**
 * The live region, never as tall as the terminal: only so can it be redrawn in place. The composer
 * comes first, what is being written gets the rows that are left, and shows its end.
 */
export function liveRegion(view: LiveView): LiveRegion {
  const { columns } = view.scene;
  const budget = budgetOf(view.rows);
  const status = budget > 1 ? [statusLine(view)] : [];
  const input = inputPanel(view, budget);
  const gap: Line[] = budget >= ROWS_FOR_GAPS ? [[]] : [];
  const fixed = input.lines.length + status.length + gap.length;
  const below = suggestionLines(view, Math.min(MAX_SUGGESTIONS, Math.max(0, budget - fixed)));
  const above = tailOf(activityLines(view, gap), budget - fixed - below.length);
  const lines = [...above, ...gap, ...input.lines, ...below, ...status];
  return {
    lines: lines.map((line) => cutLine(line, columns)),
    cursor: {
      x: Math.min(input.cursor.x, Math.max(0, columns - 1)),
      y: above.length + gap.length + input.cursor.y,
    },
  };
}

/** The place for what is asked, in a terminal of so many columns and rows. */
export const roomOf = (columns: number, rows: number): Room =>
  askRoom(columns, Math.max(1, budgetOf(rows) - 1));

const askRoom = (columns: number, rows: number): Room => ({
  columns: Math.max(1, columns - BAR_COLUMNS),
  rows,
});

/** A large terminal is not filled either: what is scrolled out when it gets lower cannot be erased. */
const budgetOf = (rows: number): number =>
  Math.max(1, Math.min(rows - SPARE_ROWS, Math.max(MIN_FULL_ROWS, Math.floor(rows * MAX_SHARE))));

const tailOf = (lines: readonly Line[], count: number): readonly Line[] =>
  count <= 0 ? [] : lines.slice(-count);

/** What is asked stands where the composer does, or above it once it was left. */
function inputPanel(view: LiveView, budget: number): Panel {
  const open = activeAsk(view.state);
  if (open && view.is_asked) {
    const rows = Math.max(1, budget - 1);
    return fitPanel(barredPanel(askPanel(open, view, rows)), rows);
  }
  if (view.search) {
    const panel = searchPanel(view.search, view.prompts, view.scene.columns);
    return fitPanel(panel, Math.max(1, budget - 1));
  }
  const composer = composerPanel(view, Math.max(1, Math.floor(budget / 2)));
  if (!open || budget < 3) return composer;
  const reminder = barred([reminderOf(open)]);
  return {
    lines: [...reminder, ...composer.lines],
    cursor: { ...composer.cursor, y: composer.cursor.y + 1 },
  };
}

function askPanel(open: OpenAsk, { state, scene }: LiveView, rows: number): Panel {
  const room = askRoom(scene.columns, rows);
  if (open.kind === "form") return formPanel(open, room.columns);
  const approvals = state.asks.filter(({ kind }) => kind === "approval");
  return approvalPanel(open, room, approvals.length - 1);
}

function reminderOf(open: OpenAsk): Line {
  const subject =
    open.kind === "form"
      ? `${sanitizeLine(open.ask.block.title) || "A form"} waits for an answer`
      : `${sanitizeLine(open.ask.tool) || "A tool call"} waits for your approval`;
  return [span("ctrl+g", { bold: true }), span(` ${subject}`, { colour: "yellow" })];
}

const composerPanel = ({ composer, state, scene }: LiveView, rows: number): Panel =>
  fieldPanel(composer, {
    columns: scene.columns,
    rows: Math.min(MAX_COMPOSER_ROWS, rows),
    prompt: span(PROMPT, { bold: true, colour: "cyan" }),
    placeholder: placeholderOf(state, scene),
  });

function placeholderOf(state: ChatState, { target }: Scene): string {
  if (state.activity !== "idle") return "Write the next message meanwhile";
  return `Message ${sanitizeLine(target.schema)}, or / for commands`;
}

/** As many as there is room for, the selected one always among them. */
function suggestionLines({ suggestions, selected }: LiveView, rows: number): Line[] {
  const first = Math.max(0, selected - rows + 1);
  return suggestions.slice(first, first + rows).map((command) => {
    const { name, argument, summary } = command;
    const is_selected = command === suggestions[selected];
    return [
      span(is_selected ? "› " : "  ", { colour: "cyan" }),
      span(`/${name}${argument ? ` ${argument}` : ""}`.padEnd(14), { bold: is_selected }),
      span(summary, DIM),
    ];
  });
}

/** With the empty rows that the same lines will have in the transcript, so that nothing jumps. */
function activityLines(view: LiveView, gap: readonly Line[]): Line[] {
  const { state } = view;
  const writing = [...reasoningTail(view), ...answerTail(view)];
  const pending = [...toolTail(view), ...queueLines(view)];
  const goes_on = state.reasoning === "" && state.answer.continued;
  const is_next_tool = writing.length === 0 && state.entries.at(-1)?.kind === "tool";
  return [
    ...(writing.length === 0 || goes_on ? writing : [...gap, ...writing]),
    ...(pending.length === 0 || is_next_tool ? pending : [...gap, ...pending]),
  ];
}

function reasoningTail({ state, scene }: LiveView): Line[] {
  if (state.reasoning === "") return [];
  const recent = sanitize(state.reasoning.slice(-4 * MAX_REASONING_ROWS * scene.columns).trim());
  const rows = wrapSpans([span(recent, { ...DIM, italic: true })], scene.columns - 2);
  return withGutter(rows.slice(-MAX_REASONING_ROWS), span("∴ ", DIM));
}

/** What is being written goes on below what is settled without an empty row where it is the same block. */
function answerTail({ state, scene }: LiveView): Line[] {
  if (!hasText(state.answer)) return [];
  return answerLines(tailSource(state.answer), state.turn.answer_pieces === 0, scene.columns);
}

const toolTail = ({ state, scene, now, spinner }: LiveView): Line[] =>
  state.tools.slice(-MAX_TOOLS).map((call) => {
    const is_asked = findAsk(state, call.call_id) !== undefined;
    const time = is_asked ? "  waits for approval" : `  ${durationText(now - call.started_at)}`;
    return toolRow(call, span(`${spinner} `, { colour: "yellow" }), span(time, DIM), scene.columns);
  });

function queueLines({ state }: LiveView): Line[] {
  const shown = state.queue.slice(0, MAX_QUEUED);
  const more = state.queue.length - shown.length;
  return [
    ...shown.map(
      (text): Line => [span("↳ ", { colour: "cyan" }), span(`queued: ${sanitizeLine(text)}`, DIM)],
    ),
    ...(more > 0 ? [[span(`  and ${more} more`, DIM)]] : []),
  ];
}
