import fc from "fast-check";
import { expect, test } from "vitest";
import { chunkText } from "./chunker.ts";
import { packChunks, unpackChunks } from "./packed-chunks.ts";

test("chunks are the same after they were packed", () => {
  const texts = fc.string({ unit: "grapheme", maxLength: 3_000 });
  fc.assert(
    fc.property(texts, (text) => {
      const chunks = chunkText({ text: `\ufeff${text.toWellFormed()}`, marks: [] });
      expect(unpackChunks(packChunks(chunks))).toEqual(chunks);
    }),
  );
});

test("half a character changes no place", () => {
  const chunks = chunkText({ text: `a\ud800 ${"b ".repeat(500)}`, marks: [] });
  const places = (list: typeof chunks) =>
    list.map(({ start, end, text }) => [start, end, text.length]);
  expect(places(unpackChunks(packChunks(chunks)))).toEqual(places(chunks));
});
