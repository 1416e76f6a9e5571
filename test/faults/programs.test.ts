import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createLauncher } from "#cli/programs/launcher.ts";
import { processesWith, whenProcesses } from "../support/processes.ts";
import { bundle, bundleOf } from "./survive.ts";

const SERVER = join(import.meta.dirname, "../support/scripted-mcp-server.ts");
const quiet = {
  onOutput: () => undefined,
  onErrorOutput: () => undefined,
  onExit: () => undefined,
};

beforeAll(() => bundle("programs"));

let made = 0;
/** Stands among the arguments of every process of one test, its children's included. */
function newMark(): string {
  made += 1;
  const mark = `troupe-mark-${process.pid}-${made}`;
  onTestFinished(() => {
    for (const line of processesWith(mark)) process.kill(Number.parseInt(line, 10), "SIGKILL");
  });
  return mark;
}

/** A process with programs of its own, of which each has a child. */
async function withPrograms(part: string, count: number): Promise<[ChildProcess, string]> {
  const mark = newMark();
  const args = [bundleOf("programs"), String(count), SERVER, part, mark];
  const owner = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(owner.stdout, "data");
  await whenProcesses(mark, 1 + 2 * count);
  return [owner, mark];
}

describe("programs that were started", () => {
  test.each(["family", "stubborn"])(
    "end with their children when this process is killed: %s ones",
    async (part) => {
      const [owner, mark] = await withPrograms(part, 3);
      owner.kill("SIGKILL");
      await whenProcesses(mark, 0);
    },
  );

  test("end when this process is told to end and does not care for them", async () => {
    const [owner, mark] = await withPrograms("stubborn", 1);
    owner.kill("SIGTERM");
    await whenProcesses(mark, 0);
  });

  test.each([
    ["plain", 1, "exit code 0"],
    ["family", 2, "SIGTERM"],
    ["stubborn", 2, "SIGKILL"],
  ])("end when they are stopped: a %s one", async (part, count, how) => {
    const mark = newMark();
    const launch = createLauncher(process.env);
    const ended = Promise.withResolvers<string>();
    const ready = Promise.withResolvers<string>();
    const listener = { ...quiet, onErrorOutput: ready.resolve, onExit: ended.resolve };
    const program = { command: process.execPath, args: [SERVER, part, mark], env: {} };
    const running = await launch(program, listener);
    await ready.promise;
    await whenProcesses(mark, count);
    await running.stop();
    expect(processesWith(mark)).toEqual([]);
    expect(await ended.promise).toBe(how);
  });

  test("take their children along when they end by themselves", async () => {
    const mark = newMark();
    const launch = createLauncher(process.env);
    const ended = Promise.withResolvers<string>();
    const script = `require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000); // ${mark}"], { stdio: "ignore" }); setTimeout(() => process.exit(7), 300); // ${mark}`;
    const program = { command: process.execPath, args: ["-e", script], env: {} };
    await launch(program, { ...quiet, onExit: ended.resolve });
    await whenProcesses(mark, 2);
    expect(await ended.promise).toBe("exit code 7");
    await whenProcesses(mark, 0);
  });

  test("that are not there are refused with the reason", async () => {
    const launch = createLauncher(process.env);
    const program = { command: "/no/such/program", args: [], env: {} };
    await expect(launch(program, quiet)).rejects.toThrow("cannot be started: it is not there");
  });
});
