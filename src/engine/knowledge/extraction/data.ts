import Papa from "papaparse";
import { parseAllDocuments } from "yaml";
import type { ExtractedText } from "../chunker.ts";
import { type Cells, cellsOf, rowLine } from "./table.ts";

/** A row is a line. */
export function extractCsv(text: string): ExtractedText {
  let columns: string[] | undefined;
  let names: Cells = new Map();
  const lines: string[] = [];
  Papa.parse<string[]>(text, {
    skipEmptyLines: "greedy",
    step({ data: row }) {
      const cells = cellsOf(row);
      if (columns) lines.push(rowLine(names, cells));
      else [columns, names] = [row, cells];
    },
  });
  return plain(lines.length === 0 ? (columns ?? []).join(" | ") : lines.join("\n"));
}

/** As it is written; throws when it is not valid. */
export function extractJson(text: string): ExtractedText {
  if (text.trim() !== "") JSON.parse(text.replace(/^\uFEFF/, ""));
  return plain(text);
}

/** As it is written; throws when it is not valid. Aliases are not followed, however often they double. */
export function extractYaml(text: string): ExtractedText {
  const documents = parseAllDocuments(text);
  const [error] = [...documents].flatMap((document) => document.errors);
  if (error) throw error;
  return plain(text);
}

const plain = (text: string): ExtractedText => ({ text, marks: [] });
