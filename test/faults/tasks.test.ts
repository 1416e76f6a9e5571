import { beforeAll, describe, expect, test } from "vitest";
import { bundle, numbers, type Place, randomPlaces, survive as surviveAny } from "./survive.ts";
import type { TaskReport } from "./task-scenario.ts";

beforeAll(() => bundle("task-scenario"));

const survive = (places: readonly Place[]) => surviveAny<TaskReport>("task-scenario", places);

/** What must hold whatever was killed when. */
function check({ tasks, sessions, events, jobs, effects }: TaskReport): void {
  const told = tasks.map(({ title, status, result }) => [title, status, result]);
  expect(told.sort()).toEqual([
    ["file", "completed", "Filed."],
    ["later", "completed", "Filed."],
    ["noted", "pending", undefined],
    ["work", "completed", "Worked."],
  ]);
  for (const task of tasks) expect(task.open_blockers).toBe(0);
  expect(jobs, "nothing is left to do").toEqual([]);
  expect(new Set(effects).size, "no effect happened twice").toBe(effects.length);

  expect(sessions.map(({ status }) => status)).toEqual(["completed", "completed", "completed"]);
  for (const log of events) {
    const count = (type: string) => log.filter((event) => event.type === type).length;
    expect(count("user_message"), "each was begun once").toBe(1);
    const outcomes = log.flatMap((event) =>
      event.type === "turn_finished" ? [event.payload.outcome] : [],
    );
    expect(outcomes.filter((outcome) => outcome === "completed")).toHaveLength(1);
    expect(outcomes.at(-1)).toBe("completed");
    expect(count("tool_result")).toBe(count("tool_call"));
  }
}

/** More than there are, so that the last ones see it end unharmed. */
const COMMITS = 30;
const EFFECTS = 3;

describe("background tasks with tools, a blocker and a form", () => {
  test("need no repair when nothing is killed", async () => {
    const report = await survive([]);
    check(report);
    expect(report.effects).toEqual(["work-1", "work-2"]);
  });

  test.concurrent.each(numbers(COMMITS))("survive a kill just before commit %i", async (number) => {
    check(await survive([["before", number]]));
  });

  test.concurrent.each(numbers(COMMITS))("survive a kill right after commit %i", async (number) => {
    check(await survive([["after", number]]));
  });

  test.concurrent.each(numbers(EFFECTS))("survive a kill within effect %i", async (number) => {
    check(await survive([["tool", number]]));
  });
});

/** `FAULT_ROUNDS=200 npm run test:faults` kills up to four processes in each of so many rounds. */
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 8);

describe("background tasks whose processes are killed one after another", () => {
  test.concurrent.each(numbers(ROUNDS))("round %i", async (round) => {
    check(await survive(randomPlaces(round, { commits: COMMITS, effects: EFFECTS })));
  });
});
