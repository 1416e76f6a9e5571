import { describe, expect, test } from "vitest";
import { isOver, newCounter, subjectOf } from "./usage.ts";

const BEGIN = "2026-03-01T12:00:00.000Z";
const after = (milliseconds: number) => new Date(Date.parse(BEGIN) + milliseconds);

describe("the window of a usage limit", () => {
  const limit = {
    scope: "tenant",
    unit: "turns",
    limit_value: 1,
    interval_seconds: 60,
    enabled: true,
  } as const;

  test.each([
    ["at its beginning", 0, false],
    ["at its very end", 60_000, false],
    ["a moment later", 60_001, true],
    ["before it, as on a clock that was put back", -1, false],
  ])("%s", (_what, milliseconds, is_over) => {
    expect(isOver(newCounter("tenant", BEGIN), limit, after(milliseconds))).toBe(is_over);
  });
});

test("no user's counter is the tenant's or the total's", () => {
  const subjects = ["tenant", "total", "user:x", ""].map((user) => subjectOf("per_user", user));
  for (const subject of subjects) expect(["tenant", "total"]).not.toContain(subject);
  expect(new Set(subjects).size).toBe(4);
});
