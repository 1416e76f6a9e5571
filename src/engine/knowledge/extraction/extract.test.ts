import { Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow } from "docx";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { makePdf as pdf } from "../../../../test/support/documents.ts";
import { chunksIn } from "../../../../test/support/extraction.ts";
import type { Chunk } from "../chunk.ts";

async function chunksOf(type: string, content: string | Uint8Array): Promise<readonly Chunk[]> {
  const extraction = await read(type, content);
  if ("problem" in extraction) throw new Error(extraction.problem);
  return extraction.chunks;
}

async function problemOf(type: string, content: string | Uint8Array): Promise<string> {
  const extraction = await read(type, content);
  return "problem" in extraction ? extraction.problem : "none";
}

const read = (type: string, content: string | Uint8Array) =>
  chunksIn(type, typeof content === "string" ? strToU8(content) : content);

const docx = async (children: (Paragraph | Table)[]) =>
  new Uint8Array(await Packer.toBuffer(new Document({ sections: [{ children }] })));

const row = (...cells: string[]) =>
  new TableRow({
    children: cells.map((text) => new TableCell({ children: [new Paragraph(text)] })),
  });

describe("the text of a file", () => {
  test("in Markdown stands under its headings, but for those in code", async () => {
    const text =
      "Intro.\n\n# One #\n\nA.\n\n## Two\n\n```\n# none\n```\n\nThree\n=====\n\nB.\n\n#### Deep\n\nC.\n";
    const chunks = await chunksOf("md", text);
    expect(chunks.map(({ headings }) => headings)).toEqual([
      [],
      ["One"],
      ["One", "Two"],
      ["Three"],
      ["Three", "", "", "Deep"],
    ]);
  });

  test("in HTML is what a reader sees, with headings and rows", async () => {
    const html = `<html><head><title>t</title><style>x{}</style></head><body><nav>Menu</nav>
      <h1>Guide</h1><p>Press  the <a href="x">button</a>.</p><script>bad()</script>
      <h2>Prices</h2><table><tr><th>Item</th><th>Price</th></tr><tr><td>Tea</td><td>2 €</td></tr></table>
      <footer>Imprint</footer></body></html>`;
    const chunks = await chunksOf("html", html);
    expect(chunks.map(({ headings }) => headings)).toEqual([["Guide"], ["Guide", "Prices"]]);
    const text = chunks.map((chunk) => chunk.text).join("");
    expect(text).toContain("Press the button.");
    expect(text).toMatch(/Tea \| 2 €/);
    expect(text).not.toMatch(/Menu|bad|Imprint|x\{\}|\uE000/);
  });

  test("of a table names each value's column", async () => {
    const [chunk] = await chunksOf("csv", 'name;city\n"Aalto; Anna";Turku\nBo;\n');
    expect(chunk?.text).toBe("name: Aalto; Anna | city: Turku\nname: Bo");
  });

  test("in a PDF stands on its pages", async () => {
    const chunks = await chunksOf("pdf", await pdf(["The first page.", "The second page."]));
    expect(chunks).toMatchObject([
      { page: 1, text: expect.stringContaining("The first page.") },
      { page: 2, text: expect.stringContaining("The second page.") },
    ]);
  });

  test("in a document keeps headings, paragraphs and tables", async () => {
    const chunks = await chunksOf(
      "docx",
      await docx([
        new Paragraph({ text: "Manual", heading: HeadingLevel.HEADING_1 }),
        new Paragraph("Press the button."),
        new Paragraph({ text: "Prices", heading: HeadingLevel.HEADING_2 }),
        new Table({ rows: [row("Item", "Price"), row("Tea", "2 €")] }),
      ]),
    );
    expect(chunks.map(({ headings }) => headings)).toEqual([["Manual"], ["Manual", "Prices"]]);
    expect(chunks[0]?.text).toContain("Press the button.");
    expect(chunks[1]?.text).toContain("Item | Price |\nTea | 2 € |");
  });

  test.each([
    ["UTF-8 with its mark", new Uint8Array([0xef, 0xbb, 0xbf, 0xc3, 0xa4]), "ä"],
    ["UTF-16", new Uint8Array([0xff, 0xfe, 0xe4, 0x00]), "ä"],
    ["the Western encoding", new Uint8Array([0x61, 0xe4]), "aä"],
  ])("is read in %s", async (_encoding, bytes, text) => {
    expect((await chunksOf("txt", bytes))[0]?.text).toBe(text);
  });

  test("in JSON and YAML is as it was written", async () => {
    expect((await chunksOf("json", '{"id": 12345678901234567890}'))[0]?.text).toContain(
      "12345678901234567890",
    );
    expect((await chunksOf("yaml", "a: 1 # why\n---\nb: 2\n"))[0]?.text).toContain("# why");
  });
});

describe("a file that can't be read tells why", () => {
  test.each([
    ["json", '{"a":', /cannot be read as json/],
    ["yaml", "a: [1", /cannot be read as yaml/],
    ["txt", new Uint8Array([1, 0, 2]), /binary/],
    ["docx", new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0]), /password/],
    ["docx", zipSync({ "a.txt": strToU8("x") }), /cannot be read as docx/],
    ["pdf", "%PDF-1.7\ngarbage", /cannot be read as pdf/],
    ["html", "<div>".repeat(60_000), /nested too deeply/],
  ])("%s, case %#", async (type, content, problem) => {
    expect(await problemOf(type, content)).toMatch(problem);
  });

  test("a PDF with a password, and one of pictures only", async () => {
    expect(await problemOf("pdf", await pdf(["secret"], { userPassword: "x" }))).toMatch(
      /password/i,
    );
    expect(await problemOf("pdf", await pdf([""]))).toMatch(/no text/);
  });

  test("an archive that unpacks without end", async () => {
    const bomb = zipSync({ "word/document.xml": new Uint8Array(120 * 1024 * 1024) });
    expect(bomb.byteLength).toBeLessThan(1_000_000);
    expect(await problemOf("docx", bomb)).toMatch(/unpacks to more than/);
  });
});
