import { argumentRoom, argumentRows, hidesCharacters } from "./approval-text.ts";
import type { OpenApproval, Room } from "./asks.ts";
import { fieldPanel, REASON_PROMPT } from "./field-layout.ts";
import type { Panel } from "./panel.ts";
import { sanitizeLine } from "./sanitize.ts";
import { type Line, span, wrapSpans } from "./styled-line.ts";

const DIM = { dim: true } as const;
const YELLOW = { colour: "yellow" } as const;
const REASON_ROWS = 2;

/** The call that waits for a person, with its exact arguments. */
export function approvalPanel(open: OpenApproval, room: Room, waiting: number): Panel {
  const { ask, sent } = open;
  const { columns } = room;
  const more = waiting > 0 ? `  ${waiting} more after this` : "";
  const tool = sanitizeLine(ask.tool) || "a tool";
  const warning = "! Some characters cannot be seen: they are shown as \\u…";
  const above = [
    ...wrapSpans([span(`Approve ${tool}?`, { ...YELLOW, bold: true }), span(more, DIM)], columns),
    ...argumentWindow(open, room),
    ...(hidesCharacters(ask) ? wrapSpans([span(warning, YELLOW)], columns) : []),
  ];
  const step = sent ? sending(columns) : choice(open, columns);
  return {
    lines: [...above, ...step.lines],
    cursor: { x: step.cursor.x, y: above.length + step.cursor.y },
  };
}

function argumentWindow({ ask, approval }: OpenApproval, room: Room): Line[] {
  const rows = argumentRows(ask, room.columns);
  const { page, hidden } = argumentRoom(ask, room);
  const from = Math.min(approval.scroll, hidden);
  const shown = rows.slice(from, from + page);
  if (hidden === 0) return shown;
  const place = `  rows ${from + 1}-${from + page} of ${rows.length} · ↑ ↓ scroll · v writes all`;
  return [...shown, ...wrapSpans([span(place, DIM)], room.columns)];
}

const sending = (columns: number): Panel => ({
  lines: wrapSpans([span("sending…", DIM)], columns),
  cursor: { x: 0, y: 0 },
});

function choice({ approval: { reason } }: OpenApproval, columns: number): Panel {
  if (!reason) {
    const help = [
      span("y", { bold: true }),
      span(" approve · ", DIM),
      span("n", { bold: true }),
      span(" reject · ", DIM),
      span("r", { bold: true }),
      span(" reject with a reason · esc decides later", DIM),
    ];
    return { lines: wrapSpans(help, columns), cursor: { x: 0, y: 0 } };
  }
  const field = fieldPanel(reason, {
    columns,
    rows: REASON_ROWS,
    prompt: span(REASON_PROMPT, YELLOW),
    placeholder: "",
  });
  const keys = wrapSpans([span("enter rejects · esc back", DIM)], columns);
  return { ...field, lines: [...field.lines, ...keys] };
}
