import { describe, expect, test } from "vitest";
import { unanswered } from "./asks.ts";
import type { ToolCall } from "./chat-entries.ts";
import { type ChatState, initialState } from "./chat-model.ts";
import { editComposer, emptyComposer } from "./composer-state.ts";
import { liveRegion } from "./live-layout.ts";
import type { LiveView } from "./live-view.ts";
import { emptyStream, feed } from "./markdown-stream.ts";
import { SLASH_COMMANDS } from "./slash-commands.ts";
import { lineColumns, lineText } from "./styled-line.ts";
import { addedRows } from "./use-reflow.ts";

const call: ToolCall = {
  call_id: "c1",
  tool: "search",
  arguments: { query: "a b" },
  started_at: 0,
};
const view = (state: Partial<ChatState> = {}, rest: Partial<LiveView> = {}): LiveView => ({
  state: { ...initialState, ...state },
  composer: emptyComposer,
  scene: { columns: 60, place: "http://x.test", target: { schema: "support" } },
  rows: 24,
  now: 1500,
  spinner: "*",
  suggestions: [],
  selected: 0,
  is_asked: false,
  prompts: [],
  ...rest,
});
const rows = (live: LiveView) => liveRegion(live).lines.map(lineText);
const written = (text: string) => ({ answer: feed(emptyStream, text).stream });
const typed = (text: string) => ({
  composer: editComposer(emptyComposer, { type: "insert", text }),
});
const busy: Partial<ChatState> = {
  activity: "busy",
  turn: { ...initialState.turn, outcome: "running" },
  tools: [call, call, call],
  queue: ["next", "and", "then", "more"],
  reasoning: "because ".repeat(100),
  ...written("word ".repeat(1000)),
};

describe("the live region", () => {
  test("is never as tall or as wide as the terminal", () => {
    for (const height of [1, 2, 3, 5, 8, 12, 24, 60]) {
      for (const columns of [1, 2, 5, 20, 120]) {
        const scene = { ...view().scene, columns };
        const region = liveRegion(
          view(busy, {
            rows: height,
            scene,
            suggestions: SLASH_COMMANDS,
            ...typed("漢字\n".repeat(30)),
          }),
        );
        expect(region.lines.length).toBeLessThan(Math.max(2, height));
        for (const line of region.lines) expect(lineColumns(line)).toBeLessThanOrEqual(columns);
        expect(region.cursor.y).toBeLessThan(region.lines.length);
        expect(region.cursor.x).toBeLessThan(columns);
      }
    }
  });

  test("offers every command where there is room, and always the selected one", () => {
    const offered = { suggestions: SLASH_COMMANDS, ...typed("/") };
    for (const { name } of SLASH_COMMANDS)
      expect(rows(view({}, offered)).join("\n")).toContain(`/${name}`);
    for (const [selected, { name }] of SLASH_COMMANDS.entries())
      expect(rows(view({}, { ...offered, selected, rows: 9 })).join("\n")).toContain(`› /${name}`);
  });

  test("shows the end of what is being written", () => {
    const lines = rows(
      view({ ...busy, tools: [], queue: [], reasoning: "", ...written(`${"a ".repeat(2000)}end`) }),
    );
    expect(lines.some((line) => line.includes("end"))).toBe(true);
  });

  test("keeps the composer and the status before anything else", () => {
    expect(rows(view(busy, { rows: 4, ...typed("hello") }))).toEqual([
      "> hello",
      expect.stringContaining("esc to stop"),
    ]);
  });

  test("puts the cursor where the text goes, wide characters counted twice", () => {
    const region = liveRegion(view({}, typed("漢字\nab")));
    expect(region.cursor.x).toBe(4);
    expect(lineText(region.lines[region.cursor.y] ?? [])).toBe("  ab");
  });

  test("tells of running tools, of what waits, and of what is asked", () => {
    const lines = rows(view({ ...busy, reasoning: "", answer: emptyStream, tools: [call] })).join(
      "\n",
    );
    expect(lines).toContain('* search  query="a b"  1.5s');
    expect(lines).toContain("queued: next");
    expect(lines).toContain("and 1 more");
    const ask = { kind: "confirmation", call_id: "c1", tool: "search", question: "?" } as const;
    const asked = rows(view({ ...busy, tools: [call], asks: [unanswered(ask)] })).join("\n");
    expect(asked).toContain("waits for approval");
    expect(asked).toContain("ctrl+g search waits for your approval");
  });

  test("has no row between code that is settled and its rest", () => {
    const { stream } = feed(emptyStream, `\`\`\`js\n${"let a;\n".repeat(20)}let b`);
    expect(stream.continued).toBe(true);
    expect(rows(view({ activity: "busy", answer: stream }))[0]).toContain("let");
  });
});

test("a region broken by a narrower terminal begins higher by the rows that came into being", () => {
  const lines = [
    [{ text: "x".repeat(50) }],
    [{ text: "short" }],
    [{ text: "> " }],
    [{ text: "y".repeat(60) }],
  ];
  expect(addedRows({ lines, cursor: { x: 2, y: 2 } }, 20)).toBe(2);
  expect(addedRows({ lines, cursor: { x: 45, y: 3 } }, 20)).toBe(4);
  expect(addedRows({ lines, cursor: { x: 2, y: 2 } }, 0)).toBeGreaterThan(0);
});
