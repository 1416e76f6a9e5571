import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

/** Where a process may die: before or after the commit of a number, or in the tool call of a number. */
export type Place = readonly [where: "before" | "after" | "tool", number: number];

interface Played {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export const bundleOf = (scenario: string) =>
  join(import.meta.dirname, `../../node_modules/.cache/faults/${scenario}.js`);

/** In one file it starts four times as fast, and it is started often. */
export async function bundle(scenario: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, `${scenario}.ts`)],
    outfile: bundleOf(scenario),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
}

const play = (scenario: string, folder: string, place: Place | undefined): Promise<Played> =>
  new Promise((resolve) => {
    const args = [bundleOf(scenario), folder, ...(place ?? []).map(String)];
    const child = spawn(process.execPath, args);
    let stdout = "";
    let stderr = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });

/** Kills one process after another in one scenario; the last one plays it to its end and reports. */
export async function survive<Report>(scenario: string, places: readonly Place[]): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-faults-"));
  try {
    for (const place of places) {
      const { signal, code, stderr } = await play(scenario, folder, place);
      if (signal !== "SIGKILL" && code !== 0) throw new Error(stderr);
    }
    const { code, stdout, stderr } = await play(scenario, folder, undefined);
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const numbers = (to: number) => Array.from({ length: to }, (_, index) => index + 1);

/** Up to four places, the same for the same round, so that a failure can be played again. */
export function randomPlaces(
  seed: number,
  last: { readonly commits: number; readonly effects: number },
): Place[] {
  let state = seed * 2_654_435_761;
  const next = (below: number): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
  const kinds = ["before", "after", "tool"] as const;
  return numbers(1 + next(4)).map(() => {
    const kind = kinds[next(kinds.length)] ?? "after";
    return [kind, 1 + next(kind === "tool" ? last.effects : last.commits)] as const;
  });
}
