import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packVocabulary, readSources } from "../../../scripts/embedding-model.ts";
import { createWordPieces } from "./word-piece.ts";

const sources = readSources();
if (!sources) throw new Error("run `npm ci` first: the package with the model is not installed");
const pieces = createWordPieces(packVocabulary(sources.tokenizer));
const { truncation: _, padding: __, ...about } = JSON.parse(sources.tokenizer.toString("utf8"));
const reference = new Tokenizer(about, {});
const MANY = 10_000;

describe("word pieces", () => {
  test.each([
    "",
    "How do I reset the router?",
    "SQLITE_BUSY, mdadm --manage /dev/md0; it's 3.14% of $5 & <b>“more”</b>…",
    "Die Kündigungsfrist beträgt drei Monate; Größe, Übermaß, naïve café",
    "Договор можно расторгнуть за месяц — ёлка",
    "合同可以提前三个月终止。東京タワー、検索する 한국어 문서",
    "tab\tand\nline\r\nand\u0000control\u200bcharacters\ufeff",
    `${"a".repeat(100)} ${"a".repeat(101)}`,
    "emoji 🙂 and 👩‍👩‍👧 and unknown ꙮ letters",
  ])("are those of the model's own tokenizer: %j", (text) => {
    expect(pieces.encode(text, MANY)).toEqual(reference.encode(text).ids);
  });

  test("are those of the model's own tokenizer for any text", () => {
    const texts = fc.oneof(fc.lorem(), fc.string(), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(texts, (text) => {
        // Where they differ: no text can name a mark of the model here, and rare ideographs stand alone.
        fc.pre(!/\[(CLS|SEP|PAD|MASK|UNK)\]|[\u{20000}-\u{2fa1f}]/u.test(text));
        expect(pieces.encode(text, MANY)).toEqual(reference.encode(text).ids);
      }),
      { numRuns: 500 },
    );
  });

  test("are cut at the limit, and counted without the marks at the ends", () => {
    const text = "green tea ".repeat(50);
    const ids = pieces.encode(text, 16);
    expect(ids).toHaveLength(16);
    expect([ids[0], ids.at(-1)]).toEqual([101, 102]);
    expect(pieces.count(text)).toBe(pieces.encode(text, MANY).length - 2);
  });

  test("of a text that names a mark are those of plain words", () => {
    expect(pieces.encode("[SEP]", MANY).slice(1, -1)).not.toContain(102);
  });
});
