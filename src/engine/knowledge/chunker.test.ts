import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chunkText, estimateTokens, type Mark } from "./chunker.ts";

const words = fc.array(
  fc.oneof(
    fc.lorem({ maxCount: 8 }),
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom("\n", "\n\n", ". ", "。", " ", "知识库检索", "x".repeat(3_000), "\u0000", "🙂"),
  ),
  { maxLength: 60 },
);
const texts = words.map((parts) => parts.join(""));

const marked = fc.tuple(texts, fc.array(fc.nat(), { maxLength: 8 })).map(([text, places]) => ({
  text,
  marks: places
    .map((place) => place % (text.length + 1))
    .sort((left, right) => left - right)
    .map((start, index): Mark => ({ start, headings: [`H${index}`], page: index + 1 })),
}));

describe("chunks", () => {
  test("lose nothing: joined, they are the text, unless it is blank", () => {
    fc.assert(
      fc.property(marked, (extracted) => {
        const joined = chunkText(extracted).map(({ text }) => text);
        expect(joined.join("")).toBe(extracted.text.trim() === "" ? "" : extracted.text);
      }),
    );
  });

  test("tell exactly where they stand, in order and numbered", () => {
    fc.assert(
      fc.property(marked, (extracted) => {
        for (const [index, { seq, start, end, text }] of chunkText(extracted).entries()) {
          expect(seq).toBe(index);
          expect(extracted.text.slice(start, end)).toBe(text);
        }
      }),
    );
  });

  test("are never blank, and never larger than the model takes but for white space", () => {
    fc.assert(
      fc.property(marked, (extracted) => {
        for (const { text } of chunkText(extracted)) {
          expect(text.trim()).not.toBe("");
          expect(estimateTokens(text.trim())).toBeLessThanOrEqual(256);
        }
      }),
    );
  });

  test("never cross a heading or a page", () => {
    const text = "# One\n\nFirst.\n\n# Two\n\nSecond.";
    const marks = [
      { start: 0, headings: ["One"] },
      { start: text.indexOf("# Two"), headings: ["Two"] },
    ];
    expect(chunkText({ text, marks })).toMatchObject([
      { headings: ["One"], text: "# One\n\nFirst.\n\n" },
      { headings: ["Two"], text: "# Two\n\nSecond." },
    ]);
  });

  test("keep paragraphs whole as long as they fit, and cut long ones between sentences", () => {
    const sentence = "This sentence has eight words in all, always. ";
    const paragraph = `${sentence.repeat(12).trim()}\n\n`;
    const whole = chunkText({ text: paragraph.repeat(2), marks: [] });
    expect(whole.map(({ text }) => text)).toEqual([paragraph, paragraph]);
    for (const { text } of chunkText({ text: sentence.repeat(100), marks: [] }))
      expect(text).toMatch(/^This .*always\. $/);
  });

  test("of a text without a single space end too", () => {
    const chunks = chunkText({ text: "a".repeat(100_000), marks: [] });
    expect(chunks.length).toBeGreaterThan(100);
  });
});
