import { beforeAll, describe, expect, test } from "vitest";
import type { Report } from "./scenario.ts";
import { bundle, numbers, type Place, randomPlaces, survive as surviveAny } from "./survive.ts";

beforeAll(() => bundle("scenario"));

const survive = (places: readonly Place[]) => surviveAny<Report>("scenario", places);

/** What must hold whatever was killed when. */
function check({ events, frames, session, jobs, pending, tool_calls, effects }: Report): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  expect(new Set(effects).size, "no effect happened twice").toBe(effects.length);

  const calls = events.flatMap((event) => (event.type === "tool_call" ? event.call_id : []));
  const results = events.flatMap((event) => (event.type === "tool_result" ? event : []));
  expect(new Set(calls).size).toBe(calls.length);
  expect(results.map(({ call_id }) => call_id).sort()).toEqual([...calls].sort());
  expect(tool_calls.map(({ call_id }) => call_id).sort()).toEqual([...calls].sort());

  const appended = results.filter(({ payload }) => payload.tool === "append_line");
  const done = appended.filter(({ payload }) => !payload.is_error).length;
  const unknown = appended.filter(({ payload }) => payload.content.includes("outcome unknown"));
  expect(done + unknown.length, "every outcome is told").toBe(appended.length);
  expect(effects.length).toBeGreaterThanOrEqual(done);
  expect(effects.length).toBeLessThanOrEqual(appended.length);
  const failed = tool_calls.filter(({ status }) => status === "failed");
  expect(failed.map(({ call_id }) => call_id).sort()).toEqual(
    unknown.map(({ call_id }) => call_id).sort(),
  );

  expect(frames.at(-2)).toMatchObject({ event: "message", data: { content: "Still here." } });
  expect(frames.at(-1)?.event).toBe("done");
  expect(session?.status).toBe("completed");
  expect(jobs).toBe(0);
  expect(pending).toEqual([]);
  const answers = events.flatMap((event) =>
    event.type === "assistant_message" ? [event.payload.content] : [],
  );
  expect(answers).toEqual(["Helped.", "All done.", "Still here."]);
}

/** More than the conversation has, so that the last ones see it end unharmed. */
const COMMITS = 24;
const EFFECTS = 6;

describe("a conversation with tools, a sub-agent and a form", () => {
  test("needs no repair when nothing is killed", async () => {
    const report = await survive([]);
    check(report);
    expect(report.effects).toEqual(["lead-1", "lead-2", "helper-1", "helper-2", "lead-3"]);
  });

  test.concurrent.each(numbers(COMMITS))(
    "survives a kill just before commit %i",
    async (number) => {
      check(await survive([["before", number]]));
    },
  );

  test.concurrent.each(numbers(COMMITS))(
    "survives a kill right after commit %i",
    async (number) => {
      check(await survive([["after", number]]));
    },
  );

  test.concurrent.each(numbers(EFFECTS))(
    "never repeats effect %i when killed within it",
    async (number) => {
      const report = await survive([["tool", number]]);
      check(report);
      expect(report.effects).toHaveLength(5);
    },
  );
});

/** `FAULT_ROUNDS=200 npm run test:faults` kills up to four processes in each of so many conversations. */
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 8);

describe("a conversation whose processes are killed one after another", () => {
  test.concurrent.each(numbers(ROUNDS))("round %i", async (round) => {
    check(await survive(randomPlaces(round, { commits: COMMITS, effects: EFFECTS })));
  });
});
