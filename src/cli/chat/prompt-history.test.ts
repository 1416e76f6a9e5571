import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parsePrompts, promptLine, withPrompt } from "./prompt-history.ts";
import { openHistory } from "./prompt-history-file.ts";

test("a prompt that is repeated at once is kept once, an empty or a huge one never", () => {
  expect(withPrompt(["a"], "a")).toEqual(["a"]);
  expect(withPrompt(["a", "b"], "a")).toEqual(["a", "b", "a"]);
  expect(withPrompt(["a"], "  ")).toEqual(["a"]);
  expect(withPrompt(["a"], "x".repeat(200_000))).toEqual(["a"]);
});

test("old prompts are forgotten", () => {
  const many = Array.from({ length: 1500 }, (_, index) => `${index}`).reduce<readonly string[]>(
    withPrompt,
    [],
  );
  expect(many).toHaveLength(1000);
  expect(many.at(-1)).toBe("1499");
});

test("prompts of several lines come back as they were, damaged lines are passed over", () => {
  const file = `${promptLine("one\ntwo")}{"broken\n42\n${promptLine("three")}`;
  expect(parsePrompts(file)).toEqual(["one\ntwo", "three"]);
});

test("the file is its owner's alone, also when it was not before", async () => {
  const directory = await mkdtemp(join(tmpdir(), "history-"));
  try {
    const path = join(directory, "new", "prompts");
    const history = await openHistory(path);
    expect(history.entries).toEqual([]);
    await history.remember("hello");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await writeFile(join(directory, "open"), promptLine("old"), { mode: 0o644 });
    const open = await openHistory(join(directory, "open"));
    await open.remember("new");
    expect((await stat(join(directory, "open"))).mode & 0o777).toBe(0o600);
    expect((await openHistory(join(directory, "open"))).entries).toEqual(["old", "new"]);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("a file that cannot be written is no reason to fail", async () => {
  const history = await openHistory("/dev/null/prompts");
  await expect(history.remember("hello")).resolves.toBeUndefined();
});
