import { describe, expect, test } from "vitest";
import { fuse } from "./fuse.ts";

const own = (...matches: { id: number; score: number }[]) => [{ is_own: true, matches }];
const ids = (found: { id: number }[]) => found.map(({ id }) => id);

describe("what words and meaning found becomes one list", () => {
  test("in the order of the words when there is no meaning", () => {
    const words = own({ id: 1, score: 9 }, { id: 2, score: 3 });
    expect(fuse({ words, is_english: true })).toEqual([
      { id: 1, score: 1 },
      { id: 2, score: 1 / 3 },
    ]);
  });

  test("where English trusts the meaning more, and other languages the words", () => {
    const words = own({ id: 1, score: 5 });
    const meaning = [
      { id: 2, score: 0.9 },
      { id: 3, score: 0.1 },
    ];
    expect(ids(fuse({ words, meaning, is_english: true }))).toEqual([2, 1, 3]);
    expect(ids(fuse({ words, meaning, is_english: false }))).toEqual([1, 2, 3]);
  });

  test("in which what both found stands first", () => {
    const words = own({ id: 1, score: 5 }, { id: 2, score: 4 });
    const meaning = [
      { id: 3, score: 0.9 },
      { id: 2, score: 0.8 },
      { id: 4, score: 0.1 },
    ];
    expect(ids(fuse({ words, meaning, is_english: true }))[0]).toBe(2);
  });

  test("in which another language's index counts little", () => {
    const words = [
      { is_own: false, matches: [{ id: 1, score: 50 }] },
      { is_own: true, matches: [{ id: 2, score: 2 }] },
    ];
    expect(ids(fuse({ words, is_english: true }))).toEqual([2, 1]);
  });

  test("in which the worst of a hundred that words found count for nothing", () => {
    const matches = Array.from({ length: 100 }, (_, at) => ({ id: at, score: 200 - at }));
    const words = own(...matches);
    expect(fuse({ words, is_english: true }).at(-1)).toEqual({ id: 99, score: 0 });
    expect(
      fuse({ words: own(...matches.slice(0, 99)), is_english: true }).at(-1)?.score,
    ).toBeGreaterThan(0.5);
  });

  test("also when all are as near", () => {
    expect(ids(fuse({ words: [], meaning: [{ id: 1, score: 0.5 }], is_english: true }))).toEqual([
      1,
    ]);
    expect(fuse({ words: [], meaning: [], is_english: true })).toEqual([]);
  });
});
