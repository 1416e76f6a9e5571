/** Text that is made up, but whose words are as frequent as those of a language: the same in each run. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The most frequent words of a language say nothing of a text. */
const EMPTY_WORDS = 100;

export function createWriter(random: () => number) {
  const file = join(import.meta.dirname, "../dist/embedding/vocabulary.txt");
  const known = readFileSync(file, "utf8").split("\n");
  const words = known.filter((word) => /^[a-z]{3,}$/.test(word)).slice(0, 18_000);
  // By Zipf's law, the n-th word comes up once in n.
  const word = (first: number): string => {
    const rank = first * (words.length / first) ** random();
    return words[Math.min(words.length - 1, Math.floor(rank) - 1)] ?? "word";
  };
  const many = (count: number, first: number) =>
    Array.from({ length: count }, () => word(first)).join(" ");
  return {
    words: (count: number) => `${many(count, 1)}.`,
    rareWords: (count: number) => many(count, EMPTY_WORDS),
  };
}
