import type { ListedTask } from "../tasks/show-tasks.ts";
import { sanitizeLine } from "./sanitize.ts";
import { type Colour, type Line, span } from "./styled-line.ts";
import { columnsOf, cutToColumns } from "./text-width.ts";

/** What the board shows, and the room it has. */
export interface BoardView {
  readonly tasks: readonly ListedTask[];
  /** How many there are in all; undefined before the first look. */
  readonly total: number | undefined;
  readonly place: string;
  /** Why what is shown may be old. */
  readonly problem: string | undefined;
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
}

interface Column {
  readonly heading: string;
  readonly statuses: readonly ListedTask["status"][];
  readonly colour: Colour;
}

const COLUMNS: readonly Column[] = [
  { heading: "waiting", statuses: ["draft", "approved", "pending"], colour: "gray" },
  { heading: "in progress", statuses: ["in_progress"], colour: "blue" },
  { heading: "needs input", statuses: ["needs_input"], colour: "yellow" },
  { heading: "completed", statuses: ["completed"], colour: "green" },
  { heading: "not done", statuses: ["failed", "cancelled"], colour: "red" },
];

const GAP = 2;
/** Narrower columns hold no title: then they stand below each other. */
const NARROWEST = 16;

/** The whole board as rows of the terminal, never more or wider than there is room. */
export function boardLines(view: BoardView): Line[] {
  const { columns, rows } = view;
  const width = Math.floor((columns - GAP * (COLUMNS.length - 1)) / COLUMNS.length);
  const room = Math.max(0, rows - 3);
  const body = width < NARROWEST ? stacked(view, room) : sideBySide(view, width, room);
  return [titleLine(view), [], ...body, footLine(view)].map((line) => cut(line, columns));
}

function sideBySide(view: BoardView, width: number, room: number): Line[] {
  const cells = COLUMNS.map((column) => columnLines(view, column, width, room));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    cells.flatMap((lines, index) => {
      const line = lines[row] ?? [];
      return index === cells.length - 1 ? line : padded(line, width + GAP);
    }),
  );
}

function stacked(view: BoardView, room: number): Line[] {
  const used = COLUMNS.filter((column) => tasksIn(view, column).length > 0);
  const share = Math.max(2, Math.floor(room / Math.max(1, used.length)));
  return used.flatMap((column) => columnLines(view, column, view.columns, share)).slice(0, room);
}

/** A heading and the column's tasks; what finds no room is counted. */
function columnLines(view: BoardView, column: Column, width: number, room: number): Line[] {
  const tasks = tasksIn(view, column);
  const { colour } = column;
  const heading: Line = [span(`${column.heading} ${tasks.length}`, { bold: true, colour })];
  const places = Math.max(0, room - 1);
  const shown = tasks.length > places ? tasks.slice(0, Math.max(0, places - 1)) : tasks;
  const cards = shown.map((task) => cut(cardLine(task, view.now), width));
  const left = tasks.length - shown.length;
  const more: Line[] = left > 0 && places > 0 ? [[span(`… ${left} more`, { dim: true })]] : [];
  return [cut(heading, width), ...cards, ...more];
}

/** As the worker takes them, what has ended by age. */
function tasksIn({ tasks }: BoardView, { statuses }: Column): ListedTask[] {
  const found = tasks.filter(({ status }) => statuses.includes(status));
  const has_ended = statuses.some((status) => status === "completed" || status === "failed");
  if (has_ended) return found;
  return found.toReversed().sort((left, right) => right.priority - left.priority);
}

const MARKS = ["·", "!", "‼"] as const;

function cardLine({ title, priority, created_at, status }: ListedTask, now: number): Line {
  const colour = priority === 2 ? "red" : priority === 1 ? "yellow" : "gray";
  const age = ageText(now - Date.parse(created_at)).padStart(3);
  const mark = status === "draft" ? "?" : (MARKS[priority] ?? "·");
  return [
    span(`${mark} `, { colour, bold: priority > 0 }),
    span(`${age} `, { dim: true }),
    span(sanitizeLine(title)),
  ];
}

/** Two or three characters: 5s, 12m, 3h, 9d. */
export function ageText(age_ms: number): string {
  const seconds = Math.max(0, Math.floor(age_ms / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

function titleLine({ tasks, total, place }: BoardView): Line {
  const count = countText(tasks.length, total);
  return [span("tasks ", { bold: true }), span(`${count} · ${sanitizeLine(place)}`, { dim: true })];
}

function countText(shown: number, total: number | undefined): string {
  if (total === undefined) return "…";
  return total > shown ? `the newest ${shown} of ${total}` : String(total);
}

const footLine = ({ problem }: BoardView): Line =>
  problem === undefined
    ? [span("! high  ‼ critical  ? draft · q quits", { dim: true })]
    : [span(sanitizeLine(problem), { colour: "red" })];

function cut(line: Line, columns: number): Line {
  let left = columns;
  return line.flatMap((piece) => {
    const text = cutToColumns(piece.text, left);
    left -= columnsOf(text);
    return text === "" ? [] : [{ ...piece, text }];
  });
}

function padded(line: Line, columns: number): Line {
  const used = line.reduce((sum, { text }) => sum + columnsOf(text), 0);
  return [...line, span(" ".repeat(Math.max(0, columns - used)))];
}
