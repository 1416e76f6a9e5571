import { render } from "ink-testing-library";
import stripAnsi from "strip-ansi";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ListedTask } from "../tasks/show-tasks.ts";
import { lineColumns, lineText } from "./styled-line.ts";
import { TaskBoard } from "./task-board.tsx";
import { ageText, type BoardView, boardLines } from "./task-board-layout.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

const task = (title: string, fields: Partial<ListedTask> = {}): ListedTask => ({
  id: `id-${title}`,
  title,
  agent_name: "",
  source: "",
  status: "pending",
  priority: 0,
  created_at: "2026-03-01T11:58:00Z",
  ...fields,
});

const board = (tasks: readonly ListedTask[], view: Partial<BoardView> = {}): string[] =>
  boardLines({
    tasks,
    total: tasks.length,
    place: "http://x.test",
    problem: undefined,
    columns: 120,
    rows: 20,
    now: NOW,
    ...view,
  }).map(lineText);

describe("the board of tasks", () => {
  test("has a column for each kind of status, with priority, age and title", () => {
    const lines = board([
      task("Waiting"),
      task("Draft", { status: "draft" }),
      task("Running", { status: "in_progress", priority: 1 }),
      task("Asking", { status: "needs_input", priority: 2 }),
      task("Done", { status: "completed" }),
      task("Broken", { status: "failed" }),
      task("Dropped", { status: "cancelled" }),
    ]);
    expect(lines[0]).toContain("tasks 7 · http://x.test");
    expect(lines[2]).toMatch(/waiting 2 +in progress 1 +needs input 1 +completed 1 +not done 2/);
    expect(lines[3]).toMatch(/\? +2m Draft +! +2m Running +‼ +2m Asking +· +2m Done +· +2m Broken/);
    expect(lines[4]).toMatch(/· +2m Waiting +· +2m Dropped$/);
    expect(lines.at(-1)).toContain("q quits");
  });

  test("shows what waits in the order in which it is taken", () => {
    const newest_first = [task("young"), task("urgent", { priority: 2 }), task("old")];
    const titles = board(newest_first).slice(3, 6);
    expect(titles.map((line) => line.trim().split(/\s+/)[2])).toEqual(["urgent", "old", "young"]);
  });

  test.each([20, 40, 79, 80, 120, 200])(
    "is never wider than %d columns, nor too high",
    (columns) => {
      const many = Array.from({ length: 50 }, (_, index) =>
        task(`A long title 漢字 ${index}`, { status: index % 2 ? "failed" : "pending" }),
      );
      for (const rows of [4, 10, 24]) {
        const view = { tasks: many, total: 70, place: "p", problem: undefined, columns, rows };
        const lines = boardLines({ ...view, now: NOW });
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) expect(lineColumns(line)).toBeLessThanOrEqual(columns);
      }
    },
  );

  test("counts what finds no room, and tells that it knows not all", () => {
    const many = Array.from({ length: 10 }, (_, index) => task(`t${index}`));
    const lines = board(many, { rows: 8, total: 300 });
    expect(lines[0]).toContain("the newest 10 of 300");
    expect(lines.join("\n")).toContain("… 7 more");
  });

  test("puts the columns below each other in a narrow terminal", () => {
    const lines = board([task("A"), task("B", { status: "completed" })], { columns: 40 });
    expect(lines.slice(2, 6).map((line) => line.trim())).toEqual([
      "waiting 1",
      "·  2m A",
      "completed 1",
      "·  2m B",
    ]);
  });

  test("shows no control characters of a title", () => {
    expect(board([task("A\u001B[31m\nB")]).join("")).toContain("A B");
  });

  test.each([
    [5_000, "5s"],
    [119_000, "1m"],
    [7_200_000, "2h"],
    [900_000_000, "10d"],
    [-5, "0s"],
  ])("tells an age of %d ms as %s", (age_ms, text) => {
    expect(ageText(age_ms)).toBe(text);
  });
});

describe("the board in a terminal", () => {
  const opened: { unmount(): void }[] = [];
  afterEach(() => {
    for (const app of opened.splice(0)) app.unmount();
  });

  const open = (load: () => Promise<{ data: ListedTask[]; total: number }>) => {
    const app = render(<TaskBoard place="here" load={load} environment={{}} />);
    opened.push(app);
    return { ...app, text: () => stripAnsi(app.lastFrame() ?? "") };
  };

  test("shows tasks as they are, and looks again", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let status: ListedTask["status"] = "pending";
    const { text } = open(async () => ({ data: [task("Write", { status })], total: 1 }));
    await vi.waitFor(() => expect(text()).toContain("waiting 1"));
    status = "completed";
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.waitFor(() => expect(text()).toContain("completed 1"));
    vi.useRealTimers();
  });

  test("says when it can't look, and keeps what it knew", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let fails = false;
    const { text } = open(async () => {
      if (fails) throw new Error("cannot reach http://x.test");
      return { data: [task("Write")], total: 1 };
    });
    await vi.waitFor(() => expect(text()).toContain("Write"));
    fails = true;
    await vi.advanceTimersByTimeAsync(2_000);
    await vi.waitFor(() => expect(text()).toContain("cannot reach http://x.test; trying again"));
    expect(text()).toContain("Write");
    vi.useRealTimers();
  });
});
