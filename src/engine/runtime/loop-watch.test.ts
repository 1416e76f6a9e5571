import { describe, expect, test } from "vitest";
import { called, failed, noted, result } from "../../../test/support/facts.ts";
import type { Fact } from "../events/event.ts";
import { watchLoops } from "./loop-watch.ts";

/** Facts that come `apart_ms` after one another. */
function watched(facts: readonly Fact[], apart_ms = 0) {
  const watch = watchLoops();
  for (const [index, fact] of facts.entries()) watch.see(fact, index * apart_ms);
  return watch;
}

const same = called("c");
const other = called("c", { input: '{"n":1}' });
const warning = noted("Stop.", "loop");

describe("identical calls", () => {
  test.each<[string, Fact[], number, boolean]>([
    ["two", [same, same], 0, false],
    ["three", [same, same, same], 0, true],
    ["three with results between", [same, result("c"), same, result("c"), same], 0, true],
    ["three, each five seconds after the one before", [same, same, same], 5_000, true],
    ["three that are further apart", [same, same, same], 5_001, false],
    ["three with another between", [same, same, other, same], 0, false],
    ["of another tool", [same, same, called("c", { tool: "hear" })], 0, false],
    ["three, then another", [same, same, same, other], 0, false],
    ["two after a warning", [same, same, same, warning, same, same], 0, false],
    ["three after a warning", [same, same, same, warning, same, same, same], 0, true],
  ])("%s", (_what, facts, apart_ms, is_circle) => {
    expect(watched(facts, apart_ms).problem() !== undefined).toBe(is_circle);
  });
});

describe("failures in a row", () => {
  const fail = failed("c");
  test.each<[string, Fact[], boolean]>([
    ["three", [fail, fail, fail], false],
    ["four", [fail, fail, fail, fail], true],
    ["four with a success between", [fail, fail, result("c"), fail, fail], false],
    ["four with another tool's failure between", [fail, fail, failed("c", "x"), fail, fail], false],
    ["four, then a success", [fail, fail, fail, fail, result("c")], false],
    ["three after a warning", [fail, fail, fail, fail, warning, fail, fail, fail], false],
    ["four after a warning", [fail, fail, fail, fail, warning, fail, fail, fail, fail], true],
  ])("%s", (_what, facts, is_circle) => {
    expect(watched(facts).problem() !== undefined).toBe(is_circle);
  });

  test("are named, with their number", () => {
    expect(watched([fail, fail, fail, fail, fail]).problem()).toMatch(/^"look" failed 5 times/);
  });
});

describe("warnings", () => {
  test("suffice when there were two; other notes are none", () => {
    expect(watched([warning, noted("Trimmed.")]).isWarned()).toBe(false);
    expect(watched([warning, warning]).isWarned()).toBe(true);
  });
});
