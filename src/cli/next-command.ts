import { isExecutable } from "./assets.ts";
import type { ConnectFlags } from "./client/connect.ts";

/** How this program is called where it was started: a checkout is not on the path. */
export const PROGRAM = isExecutable ? "troupe" : "bin/troupe";

/** A command line to go on with, at the place that the flags name; never with their token. */
export function nextCommand(
  words: readonly string[],
  { dataDir, url }: Pick<ConnectFlags, "dataDir" | "url">,
): string {
  const place = [
    ...(dataDir === undefined ? [] : ["--data-dir", dataDir]),
    ...(url === undefined ? [] : ["--url", url]),
  ];
  return [PROGRAM, ...[...words, ...place].map(shellWord)].join(" ");
}

/** As a shell reads it back. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
