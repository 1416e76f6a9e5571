import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import type { Report } from "./scenario.ts";

const SCENARIO = join(import.meta.dirname, "../../dist/faults/scenario.js");

// In one file it starts four times as fast, and it is started often.
beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, "scenario.ts")],
    outfile: SCENARIO,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
});

/** Where a process may die: before or after the commit of a number, or in the tool call of a number. */
type Place = readonly [where: "before" | "after" | "tool", number: number];

interface Played {
  readonly signal: NodeJS.Signals | null;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const play = (folder: string, place: Place | undefined): Promise<Played> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [SCENARIO, folder, ...(place ?? []).map(String)]);
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

/** Kills one process after another in one conversation; the last one plays it to its end. */
async function survive(places: readonly Place[]): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-faults-"));
  try {
    for (const place of places) {
      const { signal, code, stderr } = await play(folder, place);
      if (signal !== "SIGKILL" && code !== 0) throw new Error(stderr);
    }
    const { code, stdout, stderr } = await play(folder, undefined);
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
    return JSON.parse(stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What must hold whatever was killed when. */
function check({ events, frames, session, jobs, pending, tool_calls, effects }: Report): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  expect(new Set(effects).size, "no effect happened twice").toBe(effects.length);

  const calls = events.flatMap((event) => (event.type === "tool_call" ? event.call_id : []));
  const results = events.flatMap((event) => (event.type === "tool_result" ? event : []));
  expect(new Set(calls).size).toBe(calls.length);
  expect(results.map(({ call_id }) => call_id).sort()).toEqual([...calls].sort());
  expect(tool_calls.map(({ call_id }) => call_id).sort()).toEqual([...calls].sort());

  const appended = results.filter(({ payload }) => payload.tool === "append_line");
  const done = appended.filter(({ payload }) => !payload.is_error).length;
  const unknown = appended.filter(({ payload }) => payload.content.includes("outcome unknown"));
  expect(done + unknown.length, "every outcome is told").toBe(appended.length);
  expect(effects.length).toBeGreaterThanOrEqual(done);
  expect(effects.length).toBeLessThanOrEqual(appended.length);
  const failed = tool_calls.filter(({ status }) => status === "failed");
  expect(failed.map(({ call_id }) => call_id).sort()).toEqual(
    unknown.map(({ call_id }) => call_id).sort(),
  );

  expect(frames.at(-2)).toMatchObject({ event: "message", data: { content: "Still here." } });
  expect(frames.at(-1)?.event).toBe("done");
  expect(session?.status).toBe("completed");
  expect(jobs).toBe(0);
  expect(pending).toEqual([]);
  const answers = events.flatMap((event) =>
    event.type === "assistant_message" ? [event.payload.content] : [],
  );
  expect(answers).toEqual(["Helped.", "All done.", "Still here."]);
}

/** More than the conversation has, so that the last ones see it end unharmed. */
const COMMITS = 24;
const EFFECTS = 6;
const numbers = (to: number) => Array.from({ length: to }, (_, index) => index + 1);

describe("a conversation with tools, a sub-agent and a form", () => {
  test("needs no repair when nothing is killed", async () => {
    const report = await survive([]);
    check(report);
    expect(report.effects).toEqual(["lead-1", "lead-2", "helper-1", "helper-2", "lead-3"]);
  });

  test.concurrent.each(numbers(COMMITS))(
    "survives a kill just before commit %i",
    async (number) => {
      check(await survive([["before", number]]));
    },
  );

  test.concurrent.each(numbers(COMMITS))(
    "survives a kill right after commit %i",
    async (number) => {
      check(await survive([["after", number]]));
    },
  );

  test.concurrent.each(numbers(EFFECTS))(
    "never repeats effect %i when killed within it",
    async (number) => {
      const report = await survive([["tool", number]]);
      check(report);
      expect(report.effects).toHaveLength(5);
    },
  );
});

/** `FAULT_ROUNDS=200 npm run test:faults` kills up to four processes in each of so many conversations. */
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 8);

describe("a conversation whose processes are killed one after another", () => {
  test.concurrent.each(numbers(ROUNDS))("round %i", async (round) => {
    check(await survive(randomPlaces(round)));
  });
});

/** The same for the same round, so that a failure can be played again. */
function randomPlaces(seed: number): Place[] {
  let state = seed * 2_654_435_761;
  const next = (below: number): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.floor((state / 4_294_967_296) * below);
  };
  const kinds = ["before", "after", "tool"] as const;
  return numbers(1 + next(4)).map(() => {
    const kind = kinds[next(kinds.length)] ?? "after";
    return [kind, 1 + next(kind === "tool" ? EFFECTS : COMMITS)] as const;
  });
}
