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
    progresses({ file_name, chunks_done, chunk_count }) {
      const share = chunk_count === 0 ? 0 : chunks_done / chunk_count;
      const state = chunk_count === 0 ? "reading" : `${chunks_done} of ${chunk_count} passages`;
      draw(`${barOf(share)} ${position}${sanitizeLine(file_name)}: ${state}`);
    },
    ends(result) {
      draw("");
      const at = result.change === "missing" ? "" : position;
      if (!is_quiet) output.write(`${at}${told(result)}\n`);
    },
  };
}

const barOf = (share: number): string =>
  `[${"#".repeat(Math.round(Math.min(1, share) * BAR_WIDTH)).padEnd(BAR_WIDTH, ".")}]`;

function told({ file_name, change, chunk_count = 0, status_message = "" }: AddResult): string {
  const name = sanitizeLine(file_name);
  if (change === "failed") return `${name}: failed: ${sanitizeLine(status_message)}`;
  if (change === "missing") return `${name}: no longer in the folder, but still searched`;
  const remark = status_message ? ` (${sanitizeLine(status_message)})` : "";
  return `${name}: ${change}, ${chunk_count} ${chunk_count === 1 ? "passage" : "passages"}${remark}`;
}

/** What became of all of them, in a line. */
export function summaryOf(results: readonly AddResult[], base: string): string {
  const counts = new Map<string, number>();
  for (const { change } of results) counts.set(change, (counts.get(change) ?? 0) + 1);
  const parts = [...counts].map(([change, count]) => `${count} ${change}`).join(", ");
  const hint = counts.has("missing") ? `; troupe knowledge rm FILE --base ${base} removes one` : "";
  return `${base}: ${parts || "there is nothing in there that can be read"}${hint}`;
}
