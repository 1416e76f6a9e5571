import type { ExtractedText, Mark } from "../chunker.ts";
import { type OfficePackage, openOffice } from "./office.ts";
import { type Cells, rowLine } from "./table.ts";
import { type NumberKind, numberText, readNumberKinds } from "./xlsx-numbers.ts";

interface Sheet {
  readonly name: string;
  readonly path: string;
}

interface Workbook {
  readonly sheets: readonly Sheet[];
  readonly strings: readonly string[];
  /** By a cell's style. */
  readonly kinds: readonly NumberKind[];
  /** Days are counted from 1904 instead of 1900. */
  readonly is_1904: boolean;
}

/** The sheets that are shown, each under its name, a row a line; formulas count by their last results. */
export function extractXlsx(bytes: Uint8Array): ExtractedText {
  const file = openOffice(bytes, "xlsx");
  const workbook = readWorkbook(file);
  const marks: Mark[] = [];
  let text = "";
  for (const { name, path } of workbook.sheets) {
    const lines = sheetLines(readRows(file, path, workbook));
    if (lines.length === 0) continue;
    marks.push({ start: text.length, headings: [name] });
    text += `${[name, ...lines].join("\n")}\n\n`;
  }
  return { text, marks };
}

function readWorkbook(file: OfficePackage): Workbook {
  const related = file.related(file.main);
  const sheets: Sheet[] = [];
  let is_1904 = false;
  file.read(file.main, {
    open(name, { name: sheet = "", state, r_id = "", date1904 }) {
      if (name === "workbookPr") is_1904 = date1904 === "1" || date1904 === "true";
      const found = name === "sheet" && !state?.match(/hidden/i) ? related.get(r_id) : undefined;
      if (found?.type === "worksheet") sheets.push({ name: sheet, path: found.path });
    },
  });
  const pathOf = (type: string) => [...related.values()].find((one) => one.type === type)?.path;
  return {
    sheets,
    strings: readStrings(file, pathOf("sharedStrings")),
    kinds: readNumberKinds(file, pathOf("styles")),
    is_1904,
  };
}

/** The texts that cells refer to by number; how they are pronounced is left out. */
function readStrings(file: OfficePackage, path: string | undefined): string[] {
  const strings: string[] = [];
  if (path === undefined || !file.has(path)) return strings;
  let text = "";
  let is_text = false;
  let is_phonetic = false;
  file.read(path, {
    open(name) {
      if (name === "si") text = "";
      if (name === "t") is_text = true;
      if (name === "rPh") is_phonetic = true;
    },
    text(part) {
      if (is_text && !is_phonetic) text += part;
    },
    close(name) {
      if (name === "si") strings.push(text);
      if (name === "t") is_text = false;
      if (name === "rPh") is_phonetic = false;
    },
  });
  return strings;
}

interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  value: string;
}

function readRows(file: OfficePackage, path: string, workbook: Workbook): Cells[] {
  const rows: Cells[] = [];
  let row = new Map<number, string>();
  let cell: OpenCell | undefined;
  let is_value = false;
  let next = 0;
  file.read(path, {
    open(name, { r, t: type = "n", s = "0" }) {
      if (name === "row") {
        row = new Map();
        next = 0;
      }
      if (name === "c") cell = { column: columnOf(r) ?? next, type, style: Number(s), value: "" };
      if (name === "v" || name === "t") is_value = true;
    },
    text(part) {
      if (cell && is_value) cell.value += part;
    },
    close(name) {
      if (name === "v" || name === "t") is_value = false;
      if (name === "c" && cell) {
        const text = cellText(cell, workbook);
        if (text !== "") row.set(cell.column, text);
        next = cell.column + 1;
        cell = undefined;
      }
      if (name === "row" && row.size > 0) rows.push(row);
    },
  });
  return rows;
}

/** `AB12` is in column 27. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? "")?.[0];
  if (!letters) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellText({ type, value, style }: OpenCell, workbook: Workbook): string {
  switch (type) {
    case "s":
      return oneLine(workbook.strings[Number(value)] ?? "");
    case "b":
      return value === "1" ? "TRUE" : "FALSE";
    case "n":
      return numberText(value, workbook.kinds[style] ?? "plain", workbook.is_1904);
    case "e":
      return "";
    default:
      return oneLine(value);
  }
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** The first row with several values names the columns; what stands above it is a title. */
function sheetLines(rows: readonly Cells[]): string[] {
  const head = rows.findIndex(({ size }) => size > 1);
  const columns = rows[head];
  if (!columns || head === rows.length - 1) return rows.map((row) => [...row.values()].join(" | "));
  const titles = rows.slice(0, head).map((row) => [...row.values()].join(" | "));
  return [...titles, ...rows.slice(head + 1).map((row) => rowLine(columns, row))];
}
