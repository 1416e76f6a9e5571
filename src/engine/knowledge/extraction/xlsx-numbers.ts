import type { OfficePackage } from "./office.ts";

/** How a number is meant, as far as a reader sees it. */
export type NumberKind = "plain" | "percent" | "date";

/** The formats that have a number of their own, and need no description. */
const isDateFormat = (id: number): boolean =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47) ||
  (id >= 50 && id <= 58);
const PERCENT_FORMATS = new Set([9, 10]);

/** What each style of a cell makes of a number. */
export function readNumberKinds(file: OfficePackage, path: string | undefined): NumberKind[] {
  const kinds: NumberKind[] = [];
  if (path === undefined || !file.has(path)) return kinds;
  const codes = new Map<string, string>();
  let is_list = false;
  file.read(path, {
    open(name, { numFmtId = "0", formatCode = "" }) {
      if (name === "numFmt") codes.set(numFmtId, formatCode);
      if (name === "cellXfs") is_list = true;
      if (name === "xf" && is_list) kinds.push(kindOf(Number(numFmtId), codes.get(numFmtId)));
    },
    close(name) {
      if (name === "cellXfs") is_list = false;
    },
  });
  return kinds;
}

function kindOf(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if (isDateFormat(id)) return "date";
    return PERCENT_FORMATS.has(id) ? "percent" : "plain";
  }
  // What stands in quotes or brackets, or behind a backslash, is shown as it is.
  const signs = code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, "");
  if (/[ymdhs]/i.test(signs.replace(/General/gi, ""))) return "date";
  return signs.includes("%") ? "percent" : "plain";
}

/** A number as a reader would write it; a date as in ISO 8601. */
export function numberText(value: string, kind: NumberKind, is_1904: boolean): string {
  const number = Number(value);
  if (value.trim() === "" || !Number.isFinite(number)) return value.trim();
  if (kind === "date") return dateText(number, is_1904) ?? rounded(number);
  return kind === "percent" ? `${rounded(number * 100)}%` : rounded(number);
}

/** Spreadsheets keep 15 digits; what is beyond them is noise. */
const rounded = (number: number): string => String(Number(number.toPrecision(15)));

const DAY_MS = 86_400_000;
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);

/** Days since the epoch; less than one is a time of the day. */
function dateText(days: number, is_1904: boolean): string | undefined {
  const seconds = Math.round(days * 86_400);
  const date = new Date((is_1904 ? EPOCH_1904 : EPOCH_1900) + seconds * 1000);
  if (days < 0 || Number.isNaN(date.getTime())) return undefined;
  const iso = date.toISOString();
  const time = iso.slice(11, 19).replace(/:00$/, "");
  if (days < 1 && !is_1904) return time;
  return (seconds * 1000) % DAY_MS === 0 ? iso.slice(0, 10) : `${iso.slice(0, 10)} ${time}`;
}
