import Papa from "papaparse";
import { parseAllDocuments } from "yaml";
import type { ExtractedText } from "../chunker.ts";
import { cellsOf, rowLine } from "./table.ts";

/** A row is a line. */
export function extractCsv(text: string): ExtractedText {
  const { data } = Papa.parse<string[]>(text, { skipEmptyLines: "greedy" });
  const [columns = [], ...rows] = data;
  if (rows.length === 0) return plain(columns.join(" | "));
  const names = cellsOf(columns);
  return plain(rows.map((row) => rowLine(names, cellsOf(row))).join("\n"));
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
