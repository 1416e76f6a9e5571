import { extname } from "node:path";
import { meaningProgress } from "#engine/knowledge/file.ts";
import { sanitizeLine } from "../chat/sanitize.ts";
import { cutToColumns } from "../chat/text-width.ts";
import type { AddResult, Watcher } from "./add-files.ts";

interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const BAR_WIDTH = 24;
const NAME_COLUMNS_MIN = 8;
const COLUMNS = 80;
const CLEAR = "\r\u001B[K";

/**
 * Tells of files that are added: a line for each that is done and, on a terminal, a bar below them for the one
 * at work. `is_quiet` leaves out the lines.
 */
export function showProgress(output: ProgressOutput, { is_quiet = false } = {}): Watcher {
  let position = "";
  const clear = () => {
    if (output.isTTY) output.write(CLEAR);
  };
  /** A long name is cut, never how far it is. */
  const draw = (share: number, name: string, state: string) => {
    if (!output.isTTY) return;
    const [before, after] = [`${barOf(share)} ${position}`, `: ${state}`];
    const room = (output.columns ?? COLUMNS) - 1 - before.length - after.length;
    const shown = cutToColumns(sanitizeLine(name), Math.max(NAME_COLUMNS_MIN, room));
    output.write(CLEAR + cutToColumns(before + shown + after, (output.columns ?? COLUMNS) - 1));
  };
  return {
    begins(name, at, total) {
      position = `${at}/${total} `;
      draw(0, name, "sending");
    },
    progresses(file) {
      const { file_name, chunks_done: done, chunk_count: of } = file;
      const meaning = meaningProgress(file);
      if (meaning) draw(meaning.done / meaning.of, file_name, `meaning of ${ofPassages(meaning)}`);
      else if (of === 0) draw(0, file_name, "reading");
      else draw(done / of, file_name, ofPassages({ done, of }));
    },
    ends(result) {
      clear();
      if (!is_quiet) output.write(`${position}${told(result)}\n`);
    },
  };
}

const ofPassages = ({ done, of }: { done: number; of: number }): string =>
  `${done} of ${of} passages`;

const barOf = (share: number): string =>
  `[${"#".repeat(Math.round(Math.min(1, share) * BAR_WIDTH)).padEnd(BAR_WIDTH, ".")}]`;

function told({ file_name, change, chunk_count = 0, status_message = "" }: AddResult): string {
  const name = sanitizeLine(file_name);
  if (change === "failed") return `${name}: failed: ${sanitizeLine(status_message)}`;
  const remark = status_message ? ` (${sanitizeLine(status_message)})` : "";
  return `${name}: ${change}, ${chunk_count} ${chunk_count === 1 ? "passage" : "passages"}${remark}`;
}

/** How many were left out, and of which types. */
function skippedText(names: readonly string[]): string {
  if (names.length === 0) return "";
  const types = [...new Set(names.map((name) => extname(name) || "without one"))].sort();
  const shown = types.slice(0, TYPES_SHOWN).map(sanitizeLine);
  const more = types.length > shown.length ? ", …" : "";
  return `; ${names.length} skipped, of types that are not read (${shown.join(", ")}${more})`;
}

const TYPES_SHOWN = 5;
const MISSING_SHOWN = 5;

/** What became of all of them, and which others the knowledge base has. */
export function summaryOf(
  results: readonly AddResult[],
  base: string,
  skipped: readonly string[] = [],
): string {
  const { missing = [], ...changes } = Object.groupBy(results, ({ change }) => change);
  const parts = Object.entries(changes).map(([change, { length }]) => `${length} ${change}`);
  const told = parts.join(", ") || "there is nothing in there that can be read";
  const summary = `${base}: ${told}${skippedText(skipped)}`;
  if (missing.length === 0) return summary;
  const names = missing.slice(0, MISSING_SHOWN).map(({ file_name }) => sanitizeLine(file_name));
  const more = missing.length > names.length ? ", …" : "";
  return `${summary}\n${base} also has ${missing.length} not in there: ${names.join(", ")}${more} (troupe knowledge rm FILE --base ${base} removes one)`;
}
