import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexedText, isName, searchTerms, textIndexOf } from "./language.ts";

describe("a text is found best", () => {
  test.each([
    ["words", "The quick brown fox jumps over the lazy dog."],
    ["words", "SQLITE_BUSY"],
    ["words", "42"],
    ["trigrams", "Der Vertrag kann mit einer Frist von drei Monaten beendet werden."],
    ["trigrams", "Договор можно расторгнуть"],
    ["trigrams", "Käyttöohje"],
    ["pairs", "合同可以提前三个月终止"],
    ["pairs", "契約を終了する"],
  ])("by its %s: %s", (index, text) => {
    expect(textIndexOf(text)).toBe(index);
  });
});

describe("terms", () => {
  test("leave out what says nothing, unless nothing else is there", () => {
    expect(searchTerms("words", "How do I reset the router?")).toEqual(["reset", "router"]);
    expect(searchTerms("words", "who is it")).toEqual(["who", "is", "it"]);
  });

  test("of scripts without spaces are pairs, on both sides", () => {
    expect(searchTerms("pairs", "合同终止 v2")).toEqual(["合同", "同终", "终止", "v2"]);
    expect(indexedText("pairs", "合同终止")).toBe(" 合同 同终 终止 ");
  });

  test("hold letters, digits and underscores only, whatever is asked, and not too many of them", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 500 }),
        fc.constantFrom("words" as const, "trigrams" as const, "pairs" as const),
        (query, index) => {
          const terms = searchTerms(index, query);
          expect(terms.length).toBeLessThanOrEqual(200);
          for (const term of terms) expect(term).toMatch(/^[\p{L}\p{N}\p{M}_]+$/u);
        },
      ),
    );
  });
});

test.each([
  ["SERVICE_RATE_LIMIT", true],
  [" keys/secrets.key ", true],
  ["warranty", true],
  ["two words", false],
])("%j is a name: %s", (query, expected) => {
  expect(isName(query)).toBe(expected);
});
