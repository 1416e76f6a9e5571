import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createStreamSanitizer, safeJson, sanitize, sanitizeLine } from "./sanitize.ts";

const ESC = "\u001B";
const fragments = fc.constantFrom(
  ESC,
  `${ESC}[31m`,
  `${ESC}]52;c;aGk=\u0007`,
  `${ESC}]8;;http://evil.test${ESC}\\`,
  `${ESC}P1$r`,
  `${ESC}[`,
  "\u009B2J",
  "\u009D0;title\u009C",
  "\u202E",
  "\u2066",
  "\u200B",
  "\u200D",
  "\uFE0F",
  "\u{E0041}",
  "\r",
  "\r\n",
  "\b",
  "\u0000",
  "\u007F",
  "\uD800",
  "👩",
  "می",
  "漢字",
  "e\u0301",
  "plain text ",
  "\n",
  "\t",
);
const hostile = fc
  .array(fc.oneof(fragments, fc.string({ unit: "binary" }), fc.string()), { maxLength: 30 })
  .map((parts) => parts.join(""));

const CONTROL = /(?![\n\t])\p{Cc}/u;
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u;
const SMUGGLED = /[\u200B\u2060-\u2064\uFEFF\u00AD\u{E0000}-\u{E0FFF}\u2028\u2029]/u;

describe("sanitize", () => {
  test("leaves no control character, direction change or hidden character of any text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const safe = sanitize(text);
        expect(CONTROL.test(safe)).toBe(false);
        expect(DIRECTION.test(safe)).toBe(false);
        expect(SMUGGLED.test(safe)).toBe(false);
        expect(safe.isWellFormed()).toBe(true);
      }),
    );
  });

  test("changes nothing the second time", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(sanitize(sanitize(text))).toBe(sanitize(text));
      }),
    );
  });

  test("a stream cut anywhere is as harmless as the whole", () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 8 }), (chunks) => {
        const stream = createStreamSanitizer();
        const safe = chunks.map((chunk) => stream.push(chunk)).join("") + stream.flush();
        expect(CONTROL.test(safe)).toBe(false);
        expect(DIRECTION.test(safe)).toBe(false);
      }),
    );
  });

  test.each([
    ["writing to the clipboard", `a${ESC}]52;c;ZXZpbA==\u0007b`, "ab"],
    [
      "a link that is not ours",
      `${ESC}]8;;http://evil.test${ESC}\\bank.test${ESC}]8;;${ESC}\\`,
      "bank.test",
    ],
    ["a window title", `${ESC}]0;root@host\u0007x`, "x"],
    ["colours and cursor moves", `${ESC}[31mred${ESC}[0m${ESC}[2J${ESC}[H`, "red"],
    ["8-bit control sequences", "\u009B31mred\u009D0;t\u009C", "red"],
    ["a string sequence that never ends", `${ESC}]52;c;data`, "52;c;data"],
    ["overwriting a line", "rm -rf /\rls", "rm -rf /\nls"],
    ["backspaces", "safe\b\b\b\bevil", "safeevil"],
    ["a reversed file name", "invoice\u202Efdp.exe", "invoicefdp.exe"],
    ["zero-width characters in a host", "ba\u200Bnk.te\u200Dst", "bank.test"],
    ["text hidden in tag characters", "hi\u{E0048}\u{E0049}", "hi"],
  ])("takes away %s", (_what, text, expected) => {
    expect(sanitize(text)).toBe(expected);
  });

  test.each(["👩‍👩‍👧", "❤️", "👩🏽‍💻", "می‌خواهم", "क्‍ष", "漢字かな", "e\u0301", "a\tb\nc"])(
    "keeps what writing needs: %s",
    (text) => {
      expect(sanitize(text)).toBe(text);
    },
  );

  test("cuts towers of combining marks", () => {
    expect(sanitize(`a${"\u0301".repeat(500)}b`).length).toBeLessThan(12);
  });

  test("joins a line's white space", () => {
    expect(sanitizeLine("  a\n\tb \r\n c ")).toBe("a b c");
  });

  test("a megabyte of escapes is fast", () => {
    const started = performance.now();
    sanitize(`${ESC}]`.repeat(300_000));
    sanitize(`${ESC}[`.repeat(300_000));
    sanitize("\u0301".repeat(1_000_000));
    sanitize("\u009D".repeat(1_000_000));
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe("the stream sanitizer", () => {
  test("waits for the rest of a sequence and of a character", () => {
    const stream = createStreamSanitizer();
    expect(stream.push(`a${ESC}`)).toBe("a");
    expect(stream.push("[3")).toBe("");
    expect(stream.push("1mred")).toBe("red");
    expect(stream.push("\uD83D")).toBe("");
    expect(stream.push("\uDE00")).toBe("😀");
    expect(stream.push("a\r")).toBe("a");
    expect(stream.push("\nb")).toBe("\nb");
  });

  test("does not hold back a whole answer behind a sequence that never ends", () => {
    const stream = createStreamSanitizer();
    const text = stream.push(`${ESC}]0;${"x".repeat(1000)}`) + stream.push("more");
    expect(text).toContain("more");
  });
});

describe("safeJson", () => {
  test("parses to the same value and prints nothing a terminal obeys", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const json = safeJson({ text });
        expect(JSON.parse(json)).toEqual({ text });
        expect(/[\p{Cc}]/u.test(json)).toBe(false);
        expect(DIRECTION.test(json)).toBe(false);
      }),
    );
  });
});
