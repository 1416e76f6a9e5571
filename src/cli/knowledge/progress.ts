import { sanitizeLine } from "../chat/sanitize.ts";
import { cutToColumns } from "../chat/text-width.ts";
import type { AddResult, Watcher } from "./add-files.ts";

interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const BAR_WIDTH = 24;
const COLUMNS = 80;
const CLEAR = "\r\u001B[K";

/**
 * Tells of files that are added: a line for each that is done and, on a terminal, a bar below them for the one
 * at work. `is_quiet` leaves out the lines.
 */
export function showProgress(output: ProgressOutput, { is_quiet = false } = {}): Watcher {
  let position = "";
  const draw = (text: string) => {
    if (!output.isTTY) return;
    output.write(CLEAR + cutToColumns(text, (output.columns ?? COLUMNS) - 1));
  };
  return {
    begins(name, at, total) {
      position = `${at}/${total} `;
      draw(`${barOf(0)} ${position}${sanitizeLine(name)}: sending`);
    },
    progresses({ file_name, chunks_done, chunk_count, status_message }) {
      const share = chunk_count === 0 ? 0 : chunks_done / chunk_count;
      const count = chunk_count === 0 ? "reading" : `${chunks_done} of ${chunk_count} passages`;
      const state = status_message ?? count;
      draw(`${barOf(share)} ${position}${sanitizeLine(file_name)}: ${state}`);
    },
    ends(result) {
      draw("");
      if (!is_quiet) output.write(`${position}${told(result)}\n`);
    },
  };
}

const barOf = (share: number): string =>
  `[${"#".repeat(Math.round(Math.min(1, share) * BAR_WIDTH)).padEnd(BAR_WIDTH, ".")}]`;

function told({ file_name, change, chunk_count = 0, status_message = "" }: AddResult): string {
  const name = sanitizeLine(file_name);
  if (change === "failed") return `${name}: failed: ${sanitizeLine(status_message)}`;
  const remark = status_message ? ` (${sanitizeLine(status_message)})` : "";
  return `${name}: ${change}, ${chunk_count} ${chunk_count === 1 ? "passage" : "passages"}${remark}`;
}

const MISSING_SHOWN = 5;

/** What became of all of them, and which others the knowledge base has. */
export function summaryOf(results: readonly AddResult[], base: string): string {
  const { missing = [], ...changes } = Object.groupBy(results, ({ change }) => change);
  const parts = Object.entries(changes).map(([change, { length }]) => `${length} ${change}`);
  const summary = `${base}: ${parts.join(", ") || "there is nothing in there that can be read"}`;
  if (missing.length === 0) return summary;
  const names = missing.slice(0, MISSING_SHOWN).map(({ file_name }) => sanitizeLine(file_name));
  const more = missing.length > names.length ? ", …" : "";
  return `${summary}\n${base} also has ${missing.length} not in there: ${names.join(", ")}${more} (troupe knowledge rm FILE --base ${base} removes one)`;
}
