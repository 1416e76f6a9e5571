import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markdownLines } from "./markdown-layout.ts";
import { emptyStream, feed, finish, type MarkdownPiece, piecesOf } from "./markdown-stream.ts";
import { paintLines } from "./paint.ts";
import { type Line, lineColumns, lineText } from "./styled-line.ts";

const text = (source: string, columns = 60) =>
  markdownLines(source, columns).map((line) => lineText(line).trimEnd());
const spans = (source: string): Line => markdownLines(source, 200).flat();
const spanOf = (source: string, content: string) =>
  spans(source).find((each) => each.text.includes(content));

describe("markdown", () => {
  test("sets headings, emphasis and code apart by style alone", () => {
    expect(text("# A *b*\n\ntext **bold** _it_ ~~no~~ `code`")).toEqual([
      "A b",
      "",
      "text bold it no code",
    ]);
    expect(spanOf("text **bold**", "bold")).toMatchObject({ bold: true });
    expect(spanOf("text ~~no~~", "no")).toMatchObject({ strike: true });
    expect(spanOf("text `code`", "code")).toMatchObject({ colour: "cyan" });
  });

  test("nests lists, counts from where they begin, and shows what is done", () => {
    expect(text("- a\n  1. b\n     - c\n- [ ] open\n- [x] done\n\nnext\n\n9. i\n10. j")).toEqual([
      "• a",
      "  1. b",
      "     ▪ c",
      "☐ open",
      "☒ done",
      "",
      "next",
      "",
      " 9. i",
      "10. j",
    ]);
  });

  test("lets tables share the width, and shows rows as lists where there is none", () => {
    const table =
      "| Name | Long |\n|:--|--:|\n| 漢字 | some words that have to be wrapped |\n| b | 2 |";
    for (const line of markdownLines(table, 24)) expect(lineColumns(line)).toBeLessThanOrEqual(24);
    expect(text(table, 24)[0]).toContain("Name │");
    expect(text(table, 9)).toContain("Name: b");
  });

  test("colours the code of a known language and leaves all else as it is", () => {
    expect(spanOf("```ts\nconst a = 1;\n```", "const")).toMatchObject({ colour: "magenta" });
    expect(text("```nope\n  a   b\n\nc\n```")).toEqual(["    a   b", "", "  c"]);
  });

  test("quotes have a bar, rules are lines", () => {
    expect(text("> a\n> b\n\n---")[0]).toBe("│ a");
    expect(text("a\n\n---")[2]).toMatch(/^─+$/);
  });

  test("makes web addresses alone clickable, and writes out where a link leads", () => {
    expect(spanOf("[here](https://a.test/x)", "here")).toMatchObject({ href: "https://a.test/x" });
    expect(text("[here](https://a.test/x)")).toEqual(["here (https://a.test/x)"]);
    expect(text("<https://a.test/x>")).toEqual(["https://a.test/x"]);
    for (const href of ["javascript:alert(1)", "file:///etc/passwd", "ssh://a", "/local"]) {
      expect(spanOf(`[here](${href})`, "here")?.href).toBeUndefined();
    }
    expect(text("[https://bank.test](https://evil.test)")[0]).toContain("(https://evil.test/)");
  });

  test("lets no escape sequence through, not even one that is written as an entity or in an address", () => {
    const hostile =
      "a &#27;[31m &#x1b;]0;t&#7; [x](https://a.test/\u001B]8;;b\u0007) `\u001B[2J`\n\n```\n\u001B[H\n```";
    expect(markdownLines(hostile, 40).map(lineText).join("")).not.toMatch(/\p{Cc}/u);
    expect(paintLines([[{ text: "a\u001B[2Jb" }]], { colour: true, links: true })).toBe("a[2Jb");
  });

  test("fits any width whatever the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 8, max: 60 }),
        (source, columns) => {
          for (const line of markdownLines(source, columns))
            expect(lineColumns(line)).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  test.each([
    ["a line without end", "a".repeat(1_000_000)],
    ["quotes without end", ">".repeat(100_000)],
    ["lists without end", "1. ".repeat(50_000)],
    ["emphasis without end", "_a*".repeat(50_000)],
    ["brackets without end", "![".repeat(50_000)],
    ["emoji without end", "👩‍👩‍👧".repeat(10_000)],
  ])("is not held up by %s", (_what, source) => {
    const started = performance.now();
    const lines = piecesOf(source).flatMap((piece) => markdownLines(piece.source, 80));
    expect(lines.length).toBeGreaterThan(0);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe("markdown that arrives bit by bit", () => {
  const stream = (source: string, chunk: number): readonly MarkdownPiece[] => {
    let state = emptyStream;
    const pieces: MarkdownPiece[] = [];
    for (let from = 0; from < source.length; from += chunk) {
      const fed = feed(state, source.slice(from, from + chunk));
      state = fed.stream;
      pieces.push(...fed.finished);
    }
    return [...pieces, ...finish(state)];
  };
  const source =
    "# T\n\nPara *one*\nmore.\n\n- a\n- b\n\n  c\n\n1. x\n\n```js\nlet a;\n\nlet b;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> q\n\nEnd.";

  test.each([1, 2, 7, 1000])("reads the same in chunks of %i", (chunk) => {
    const pieces = stream(source, chunk);
    expect(pieces.map((piece) => piece.source).join("")).toBe(source);
    const rows = pieces.flatMap((piece, index) => [
      ...(index > 0 && !piece.continued ? [""] : []),
      ...text(piece.source),
    ]);
    expect(rows).toEqual(text(source));
  });

  test("keeps no more than the last block back", () => {
    const { stream: state, finished } = feed(emptyStream, "One.\n\nTwo.\n\n```js\nlet");
    expect(finished.map((piece) => piece.source.trim()).join()).toBe("One.\n\nTwo.");
    expect(state.tail).toBe("```js\nlet");
  });

  test("cuts code that is longer than a screen, and goes on as code", () => {
    const code = `\`\`\`js\n${"let a = 1;\n".repeat(100)}\`\`\`\n\nEnd.`;
    const pieces = stream(code, 11);
    expect(pieces.length).toBeGreaterThan(3);
    expect(
      pieces.slice(1, -1).every((piece) => piece.continued && piece.source.startsWith("```js\n")),
    ).toBe(true);
    expect(pieces.at(-1)).toEqual({ source: "End.", continued: false });
    expect(
      pieces.flatMap((piece) => text(piece.source)).filter((row) => row === "  let a = 1;"),
    ).toHaveLength(100);
  });

  test("cuts a long list between its items, a long table with its header", () => {
    const list = stream(
      Array.from({ length: 60 }, (_, index) => `${index + 1}. item`).join("\n"),
      5,
    );
    expect(list.flatMap((piece) => text(piece.source)).at(-1)).toBe("60. item");
    const table = stream(`| a |\n|---|\n${"| 1 |\n".repeat(60)}`, 5);
    expect(table.every((piece) => piece.source.startsWith("| a |\n|---|\n"))).toBe(true);
  });
});
