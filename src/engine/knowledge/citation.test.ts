import { describe, expect, test } from "vitest";
import type { NamedChunk } from "./chunk.ts";
import { type Citation, citedIn, createCitationRegister, excerptOf } from "./citation.ts";

const passage = (start: number, more: Partial<NamedChunk> = {}): NamedChunk => ({
  id: start,
  file_id: "f1",
  file_name: "router.md",
  knowledge_base: "manuals",
  seq: 0,
  start,
  end: start + 10,
  headings: ["Router", "", "Reset"],
  text: "Hold the button.",
  ...more,
});

describe("numbers of passages", () => {
  test("begin at 1, and a passage that is found again keeps its own", () => {
    const { cite } = createCitationRegister();
    const found = [passage(0), passage(10), passage(0), passage(0, { file_id: "f2" })];
    expect(found.map((each) => cite(each).number)).toEqual([1, 2, 1, 3]);
  });

  test("go on where an earlier process stopped", () => {
    const before = createCitationRegister();
    const cited = [passage(0), passage(10)].map((each) => before.cite(each));
    const { add, cite } = createCitationRegister();
    add(cited);
    expect([cite(passage(10)).number, cite(passage(20)).number]).toEqual([2, 3]);
  });

  test("come with file, headings, characters and how the passage begins", () => {
    expect(createCitationRegister().cite(passage(5, { page: 2 }))).toEqual({
      number: 1,
      file_name: "router.md",
      file_id: "f1",
      knowledge_base: "manuals",
      page: 2,
      heading_path: ["Router", "Reset"],
      start: 5,
      end: 15,
      excerpt: "Hold the button.",
    });
  });
});

describe("what a text cites", () => {
  const { cite } = createCitationRegister();
  const known: Citation[] = [0, 10, 20, 30].map((start) => cite(passage(start)));
  const numbers = (text: string) => citedIn(text, known).map(({ number }) => number);

  test.each([
    ["a mark", "Hold it [2].", [2]],
    ["several in one", "So [1, 3].", [1, 3]],
    ["a range", "So [2-4], or [2–4].", [2, 3, 4]],
    ["side by side", "So[1][2].", [1, 2]],
    ["footnotes", "So [^3].", [3]],
    ["other brackets", "So【4†source】.", [4]],
  ])("is told by %s", (_what, text, expected) => {
    expect(numbers(text)).toEqual(expected);
  });

  test.each([
    ["no mark at all", "Hold it."],
    ["numbers that nothing has", "In [2024] there were [77]."],
    ["an index in code", "```\nx[1]\n``` and `y[2]`"],
    ["a length in brackets", "It lasts [2 years]."],
    ["a link", "[1](http://x.test)"],
    ["a range without end", "[1-999999999]".replace("1-", "5-")],
  ])("is anything of what was given for %s", (_what, text) => {
    expect(numbers(text)).toEqual([1, 2, 3, 4]);
  });
});

test("an excerpt is one line, cut between words", () => {
  expect(excerptOf("  One\n\n two\t three ")).toBe("One two three");
  const long = excerptOf("word ".repeat(100));
  expect(long).toMatch(/word…$/);
  expect(long.length).toBeLessThanOrEqual(241);
  expect(excerptOf("😀".repeat(200)).isWellFormed()).toBe(true);
});
