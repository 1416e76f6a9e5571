import type { Key } from "ink";
import { describe, expect, test } from "vitest";
import { composerKey, splitKeys } from "./composer-keys.ts";
import { HELP, matchingCommands, parseInput, SLASH_COMMANDS } from "./slash-commands.ts";

const NO_KEY: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};
const key = (input: string, pressed: Partial<Key> = {}) =>
  composerKey(input, { ...NO_KEY, ...pressed });

describe("keys", () => {
  test("enter sends; with a modifier, and ctrl+j, it makes a line", () => {
    expect(key("\r", { return: true })).toEqual({ type: "enter" });
    for (const newline of [
      key("\r", { return: true, shift: true }),
      key("\r", { return: true, meta: true }),
      key("\n"),
      key("j", { ctrl: true }),
    ]) {
      expect(newline).toEqual({ type: "insert", text: "\n" });
    }
  });

  test.each([
    ["a", { ctrl: true }, "line_start"],
    ["e", { ctrl: true }, "line_end"],
    ["k", { ctrl: true }, "kill_to_end"],
    ["u", { ctrl: true }, "kill_to_start"],
    ["w", { ctrl: true }, "kill_word"],
    ["b", { meta: true }, "word_left"],
    ["f", { meta: true }, "word_right"],
    ["", { leftArrow: true, ctrl: true }, "word_left"],
    ["", { backspace: true, meta: true }, "kill_word"],
    ["", { home: true }, "line_start"],
    ["", { delete: true }, "delete"],
  ] as const)("%s with %o edits as readline does", (input, pressed, edit) => {
    expect(key(input, pressed)).toEqual({ type: "edit", edit });
  });

  test("keys without a meaning write nothing", () => {
    for (const nothing of [
      key("x", { ctrl: true }),
      key("x", { meta: true }),
      key("", { pageUp: true }),
      key("", { escape: true }),
    ]) {
      expect(nothing).toBeUndefined();
    }
  });

  test("keys that come in one piece are taken one by one", () => {
    const presses = splitKeys("hello\u0001X\u0015bye\r", NO_KEY).map(
      ({ input, key: { ctrl, return: enter } }) => [input, ctrl, enter],
    );
    expect(presses).toEqual([
      ["hello", false, false],
      ["a", true, false],
      ["X", false, false],
      ["u", true, false],
      ["bye", false, false],
      ["\r", false, true],
    ]);
  });

  test("a line end within unmarked pasted text does not send it", () => {
    expect(splitKeys("rm -rf /\rls", NO_KEY)).toHaveLength(1);
  });
});

describe("slash commands", () => {
  test("are suggested by their beginning, until an argument is typed", () => {
    expect(matchingCommands("/")).toEqual(SLASH_COMMANDS);
    expect(matchingCommands("/se").map(({ name }) => name)).toEqual(["sessions"]);
    expect(matchingCommands("/resume x")).toEqual([]);
    expect(matchingCommands("hello")).toEqual([]);
  });

  test("are told from messages, and hints from both", () => {
    expect(parseInput("/resume abc")).toEqual({ type: "command", name: "resume", argument: "abc" });
    expect(parseInput(" /new ")).toEqual({ type: "command", name: "new", argument: "" });
    expect(parseInput("/sesions")).toMatchObject({
      type: "unknown",
      hint: expect.stringContaining("/sessions"),
    });
    expect(parseInput("/etc/hosts is a file")).toMatchObject({ type: "message" });
    expect(parseInput("what is 1/2?")).toMatchObject({ type: "message" });
  });

  test("are all in the help", () => {
    for (const { name } of SLASH_COMMANDS) expect(HELP).toContain(`/${name}`);
  });
});
