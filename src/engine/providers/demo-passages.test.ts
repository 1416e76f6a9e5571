import { expect, test } from "vitest";
import { tellPassages } from "./demo-passages.ts";

const FOUND = [
  "[4] Source: guide.md - Guide > Tokens (characters 0-90)\n\n## Tokens\n\nTokens are made\nwith one command:\n\n```sh\n# not a heading\nmake token\n  now\n```\n\n- first\n- second, which\n  is longer",
  "[2] Source: guide.md - Guide (characters 90-120)\n\nBegin here.",
  "[5] Source: api.pdf - page 3 (characters 7-9)\n\nMore.",
  "[6] Source: api.pdf - page 3 (characters 9-12)\n\nEven more.",
].join("\n\n---\n\n");

test("the demo model quotes the best passage and names the others, all by their numbers", () => {
  expect(tellPassages(FOUND)).toBe(
    "From guide.md - Guide > Tokens [4]:\n\nTokens are made with one command:\n\n```sh\n# not a heading\nmake token\n  now\n```\n\n- first\n- second, which is longer\n\nSee also: guide.md - Guide [2]; api.pdf - page 3 [5][6].",
  );
});

test("a wrapped paragraph is one line, also where a line begins with code", () => {
  const found =
    "[1] Source: a.md (characters 0-9)\n\nIt is in `~/a` on Linux,\n`%A%` on Windows, and\nstays.";
  expect(tellPassages(found)).toBe(
    "From a.md [1]:\n\nIt is in `~/a` on Linux, `%A%` on Windows, and stays.",
  );
});

test("a heading alone is nothing to quote", () => {
  const found = `[1] Source: a.md - A (characters 0-4)\n\n# A\n\n---\n\n${FOUND}`;
  expect(tellPassages(found)).toMatch(/^From guide\.md .*\[4\]:[\s\S]*See also: a\.md - A \[1\];/);
});

test("what is no passage is told as it is", () => {
  expect(tellPassages("No passage matches: x")).toBe("No passage matches: x");
  expect(tellPassages(`${FOUND}\n\n---\n\nNot found yet: one file.`)).toMatch(
    /\n\nNot found yet: one file\.$/,
  );
});
