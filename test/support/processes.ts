import { execFileSync } from "node:child_process";
import { vi } from "vitest";

/** The processes of this machine that have this text among their arguments. */
export const processesWith = (text: string): string[] =>
  execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(text));

/** Resolves when there are so many of them; throws with those there are after five seconds. */
export const whenProcesses = (text: string, count: number): Promise<void> =>
  vi.waitFor(
    () => {
      const found = processesWith(text);
      if (found.length !== count)
        throw new Error(`${found.length} processes:\n${found.join("\n")}`);
    },
    { timeout: 5_000, interval: 100 },
  );
