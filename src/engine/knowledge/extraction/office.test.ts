import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { strToU8, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { chunksIn } from "../../../../test/support/extraction.ts";

const DOCUMENTS = resolve(import.meta.dirname, "../../../../test/documents");

async function textsOf(type: string, bytes: Uint8Array) {
  const extraction = await chunksIn(type, bytes);
  if ("problem" in extraction) throw new Error(extraction.problem);
  return extraction.chunks.map(({ page, headings, text }) => [
    [page === undefined ? "" : `page ${page}`, ...headings].filter(Boolean).join(" > "),
    text.trim(),
  ]);
}

const documentOf = (name: string) => new Uint8Array(readFileSync(join(DOCUMENTS, name)));

const RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** An Office file of these parts; each relates to the parts that stand in its list. */
function office(parts: Record<string, string>, related: Record<string, Record<string, string>>) {
  const lists = Object.entries(related).map(([path, targets]): [string, string] => {
    const items = Object.entries(targets).map(
      ([target, type], index) =>
        `<Relationship Id="r${index + 1}" Type="${RELATIONSHIPS}/${type}" Target="${target}"/>`,
    );
    return [path, `<Relationships>${items.join("")}</Relationships>`];
  });
  const files = Object.entries({ ...parts, ...Object.fromEntries(lists) });
  return zipSync(Object.fromEntries(files.map(([path, text]) => [path, strToU8(text)])));
}

/** A workbook with one sheet of these rows, as XML. */
const workbook = (
  rows: string,
  { sheets = `<sheet name="Prices" r:id="r1"/>`, properties = "", styles = "", strings = "" } = {},
) =>
  office(
    {
      "xl/workbook.xml": `<workbook>${properties}<sheets>${sheets}</sheets></workbook>`,
      "xl/worksheets/sheet1.xml": `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      "xl/worksheets/sheet2.xml": `<worksheet><sheetData><row><c t="str"><v>second</v></c></row></sheetData></worksheet>`,
      "xl/styles.xml": `<styleSheet>${styles}</styleSheet>`,
      "xl/sharedStrings.xml": `<sst>${strings}</sst>`,
    },
    {
      "_rels/.rels": { "xl/workbook.xml": "officeDocument" },
      "xl/_rels/workbook.xml.rels": {
        "worksheets/sheet1.xml": "worksheet",
        "/xl/worksheets/sheet2.xml": "worksheet",
        "styles.xml": "styles",
        "sharedStrings.xml": "sharedStrings",
      },
    },
  );

describe("documents of common tools", () => {
  test("of Word keep headings and a table's rows", async () => {
    expect((await textsOf("docx", documentOf("manual.docx"))).slice(1)).toEqual([
      ["Router", "Router\n\nWelcome to the router."],
      [
        "Router > Reset",
        "Reset\n\nHold the button for ten seconds to restore the factory settings.",
      ],
      [
        "Router > Warranty",
        "Warranty\n\nThe warranty lasts two years from the day of purchase.\n\nPart | Months |\nFan | 12 |\nCase | 24 |",
      ],
    ]);
  });

  test("of Excel name each value's column, and read dates and percentages", async () => {
    expect(await textsOf("xlsx", documentOf("prices.xlsx"))).toEqual([
      [
        "prices",
        "prices\nItem: Green tea | Price: 2.5 | Since: 2024-03-01 | Discount: 10%\nItem: Black tea | Price: 3.25 | Since: 2023-11-15 | Discount: 0%",
      ],
    ]);
  });

  test.each(["slides.pptx", "slides-saved-again.pptx"])(
    "of PowerPoint stand slide by slide, with notes: %s",
    async (name) => {
      expect(await textsOf("pptx", documentOf(name))).toEqual([
        [
          "page 1 > Refunds",
          "Refunds\nRefunds are paid within thirty days.\nKeep the receipt.\nNotes: Tell them about the gift cards.",
        ],
        ["page 2 > Opening hours", "Opening hours\nDay | Hours\nMonday | 9 to 17\nSunday | closed"],
      ]);
    },
  );
});

describe("a workbook", () => {
  const linesOf = async (rows: string, more: Parameters<typeof workbook>[1] = {}) =>
    (await textsOf("xlsx", workbook(rows, more))).flatMap(([, text = ""]) => text.split("\n"));

  test("may hold its texts in a list, in the cells, or as results of formulas", async () => {
    const strings =
      "<si><t>It</t></si><si><r><t>Green</t></r><r><t> tea</t></r><rPh><t>no</t></rPh></si>";
    const rows = `<row><c t="s"><v>0</v></c><c t="inlineStr"><is><t>Price</t></is></c></row>
      <row><c t="s"><v>1</v></c><c t="str"><f>A1</f><v>a &lt;b&gt;
 c</v></c><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c></row>`;
    expect(await linesOf(rows, { strings })).toEqual([
      "Prices",
      "It: Green tea | Price: a <b> c | TRUE",
    ]);
  });

  test("may be almost empty, with something far away", async () => {
    const rows = `<row r="1"><c r="A1"><v>1</v></c><c r="C1"><v>2</v></c></row>
      <row r="1048576"><c r="XFD1048576"><v>0.30000000000000004</v></c><c r="C9"><v>7</v></c></row>`;
    expect(await linesOf(rows)).toEqual(["Prices", "0.3 | 2: 7"]);
  });

  test("has titles above its columns, or only one of them", async () => {
    const cell = (text: string) => `<c t="str"><v>${text}</v></c>`;
    const titled = `<row>${cell("Spring")}</row><row>${cell("Item")}${cell("Price")}</row><row>${cell("Tea")}${cell("2")}</row>`;
    expect(await linesOf(titled)).toEqual(["Prices", "Spring", "Item: Tea | Price: 2"]);
    expect(await linesOf(`<row>${cell("one")}</row><row>${cell("two")}</row>`)).toEqual([
      "Prices",
      "one",
      "two",
    ]);
  });

  test("does not tell of sheets that are hidden, nor of charts", async () => {
    const sheets = `<sheet name="Prices" r:id="r1" state="hidden"/><sheet name="Shown" r:id="r2"/><sheet name="Chart" r:id="r3"/>`;
    expect(await textsOf("xlsx", workbook("<row/>", { sheets }))).toEqual([
      ["Shown", "Shown\nsecond"],
    ]);
  });

  const STYLES = `<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="0.0%"/><numFmt numFmtId="166" formatCode="0 &quot;days&quot;"/></numFmts>
    <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
    <cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="22"/><xf numFmtId="20"/><xf numFmtId="165"/><xf numFmtId="166"/></cellXfs>`;

  test.each([
    [0, "45352", "45352"],
    [1, "45352", "2024-03-01"],
    [2, "45352", "2024-03-01"],
    [3, "45352.75", "2024-03-01 18:00"],
    [4, "0.5", "12:00"],
    [5, "0.125", "12.5%"],
    [6, "3", "3"],
    [1, "-1", "-1"],
    [1, "1e300", "1e+300"],
  ])("writes a number of style %d, %s, as %s", async (style, value, text) => {
    const rows = `<row><c s="${style}"><v>${value}</v></c></row>`;
    expect(await linesOf(rows, { styles: STYLES })).toEqual(["Prices", text]);
  });

  test("may count its days from 1904", async () => {
    const properties = `<workbookPr date1904="1"/>`;
    const rows = `<row><c s="1"><v>0</v></c></row>`;
    expect(await linesOf(rows, { properties, styles: STYLES })).toEqual(["Prices", "1904-01-01"]);
  });
});

test("a presentation is told in its order, without hidden slides and what is on every page", async () => {
  const slide = (title: string, more = "", show = "") =>
    `<p:sld ${show}><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><a:p><a:r><a:t>${title}</a:t></a:r></a:p></p:sp>${more}</p:sld>`;
  const number = `<p:sp><p:nvPr><p:ph type="sldNum"/></p:nvPr><a:p><a:t>7</a:t></a:p></p:sp>`;
  const twice = `<mc:AlternateContent><mc:Choice><p:sp><a:p><a:t>new</a:t><a:br/><a:t>shape</a:t></a:p></p:sp></mc:Choice><mc:Fallback><p:sp><a:p><a:t>old</a:t></a:p></p:sp></mc:Fallback></mc:AlternateContent>`;
  const file = office(
    {
      "ppt/presentation.xml": `<p:presentation><p:sldIdLst><p:sldId id="9" r:id="r2"/><p:sldId id="8" r:id="r3"/><p:sldId id="7" r:id="r1"/></p:sldIdLst></p:presentation>`,
      "ppt/slides/slide1.xml": slide("Last", twice),
      "ppt/slides/slide2.xml": slide("First", number),
      "ppt/slides/slide3.xml": slide("Hidden", "", 'show="0"'),
    },
    {
      "_rels/.rels": { "ppt/presentation.xml": "officeDocument" },
      "ppt/_rels/presentation.xml.rels": {
        "slides/slide1.xml": "slide",
        "slides/slide2.xml": "slide",
        "slides/slide3.xml": "slide",
      },
    },
  );
  expect(await textsOf("pptx", file)).toEqual([
    ["page 1 > First", "First"],
    ["page 3 > Last", "Last\nnew shape"],
  ]);
});

describe("an Office file that can't be read tells why", () => {
  const bomb = zipSync({ "xl/workbook.xml": new Uint8Array(120 * 1024 * 1024) });
  const entities = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>`;

  test.each(["xlsx", "pptx"])("%s", async (type) => {
    const problemOf = async (bytes: Uint8Array) => {
      const extraction = await chunksIn(type, bytes);
      return "problem" in extraction ? extraction.problem : "none";
    };
    const whole = documentOf(type === "xlsx" ? "prices.xlsx" : "slides.pptx");
    expect(await problemOf(new Uint8Array([0xd0, 0xcf, 0x11, 0xe0, 0]))).toMatch(/password/);
    expect(await problemOf(bomb)).toMatch(/unpacks to more than/);
    expect(await problemOf(zipSync({ "a.xml": strToU8("<a/>") }))).toMatch(/no Office file/);
    expect(await problemOf(whole.slice(0, whole.length / 2))).toMatch(/cannot be read/);
    expect(await problemOf(new Uint8Array())).toMatch(/cannot be read/);
  });

  test("and what its entities stand for is not followed", async () => {
    const rows = "<row><c t='str'><v>&b;&amp;</v></c></row>";
    const [[, text] = []] = await textsOf("xlsx", workbook(`${entities}${rows}`));
    expect(text).toBe("Prices\n&b;&");
  });
});
