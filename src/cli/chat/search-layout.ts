import { findPrompt, type HistorySearch } from "./history-search.ts";
import type { Panel } from "./panel.ts";
import { sanitize } from "./sanitize.ts";
import { type Line, span, withPrefix, wrapSpans } from "./styled-line.ts";
import { columnsOf, cutToColumns } from "./text-width.ts";

const DIM = { dim: true } as const;
const LABEL = "search: ";
const MATCH_ROWS = 3;

/** The query, and the prompt that it finds. */
export function searchPanel(
  search: HistorySearch,
  history: readonly string[],
  columns: number,
): Panel {
  const room = Math.max(1, columns - LABEL.length - 1);
  const query = cutToColumns(search.query, room);
  return {
    lines: [
      [span(LABEL, { colour: "cyan" }), span(query)],
      ...matchLines(findPrompt(history, search), search, columns),
      [span("enter takes it · ctrl+r older · esc leaves", DIM)],
    ],
    cursor: { x: LABEL.length + columnsOf(query), y: 0 },
  };
}

function matchLines(match: string | undefined, { query }: HistorySearch, columns: number): Line[] {
  const note = query === "" ? "Type a part of an earlier message." : "Nothing like that.";
  if (match === undefined) return [[span(`  ${note}`, DIM)]];
  const rows = wrapSpans([span(sanitize(match))], columns - 2).slice(0, MATCH_ROWS);
  return withPrefix(rows, [span("> ", { colour: "cyan" })], [span("  ")]);
}
