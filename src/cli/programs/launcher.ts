import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { EngineError } from "#engine/kernel/error.ts";
import type { LaunchProgram, RunningProgram } from "#engine/mcp-servers/connections/launch.ts";
import type { Environment } from "../settings/load-config.ts";
import { createGuardian, type Guardian } from "./guardian.ts";

/** What a program gets of this process's own environment: what it takes to run, and no secret. */
const INHERITED = new Set([
  ..."HOME LOGNAME PATH SHELL TERM USER LANG LANGUAGE LC_ALL LC_CTYPE TZ TMPDIR".split(" "),
  ..."HTTP_PROXY HTTPS_PROXY NO_PROXY".split(" "),
  ..."APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE".split(" "),
  ..."PROGRAMDATA PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR".split(
    " ",
  ),
]);

const inheritedOf = (environment: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment)
      .filter(
        (entry): entry is [string, string] =>
          INHERITED.has(entry[0].toUpperCase()) && entry[1] !== undefined,
      )
      .map(([name, value]) => [name, /^https?_proxy$/i.test(name) ? withoutUser(value) : value]),
  );

/** A proxy's address, without the user and password that only this process is trusted with. */
const withoutUser = (address: string): string =>
  address.replace(/^([a-z][a-z\d+.-]*:\/\/)?[^/]*@/i, "$1");

/** How long a program may take to end by itself once its input is closed, and then once it is told to. */
const LEAVE_MS = 1_000;
const TERMINATE_MS = 2_000;

/**
 * Runs programs, each in a process group of its own, so that what it starts ends with it. A guardian ends
 * the groups when this process dies without having done so.
 */
export function createLauncher(environment: Environment): LaunchProgram {
  const guardian = createGuardian();
  const inherited = inheritedOf(environment);
  return async ({ command, args, env }, listener) => {
    const child = spawn(command, args, {
      env: { ...inherited, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    // A guardian that is told of a program before it can do anything cannot miss one.
    if (child.pid !== undefined) guardian.watch(child.pid);
    const exited = onceExited(child, guardian);
    void exited.then((how) => listener.onExit(how));
    child.stdout.on("data", (chunk: Uint8Array) => listener.onOutput(chunk));
    child.stderr.on("data", (chunk: Buffer) => listener.onErrorOutput(chunk.toString("utf8")));
    // Its end tells it; a write then fails without anybody waiting for it.
    child.stdin.on("error", () => undefined);
    try {
      await once(child, "spawn");
    } catch (error) {
      throw cannotStart(command, error);
    }
    return runningProgram(child, exited);
  };
}

function runningProgram(child: ReturnType<typeof spawn>, exited: Promise<string>): RunningProgram {
  return {
    send: (text) =>
      new Promise((resolve, reject) => {
        child.stdin?.write(text, (error) =>
          error ? reject(new Error(`the program is not running: ${error.message}`)) : resolve(),
        );
      }),
    async stop() {
      child.stdin?.end();
      if (await endsWithin(exited, LEAVE_MS)) return;
      signalGroup(child, "SIGTERM");
      if (await endsWithin(exited, TERMINATE_MS)) return;
      signalGroup(child, "SIGKILL");
      await exited;
    },
  };
}

/** How a program ended, after what it left behind has ended, too. */
async function onceExited(child: ChildProcess, guardian: Guardian): Promise<string> {
  const how = await new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once("error", () => resolve("not started"));
  });
  signalGroup(child, "SIGKILL");
  if (child.pid !== undefined) guardian.forget(child.pid);
  return how;
}

const endsWithin = async (exited: Promise<string>, time_ms: number): Promise<boolean> =>
  (await Promise.race([exited, delay(time_ms, false, { ref: false })])) !== false;

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nothing of it runs any more.
  }
}

function cannotStart(command: string, error: unknown): EngineError {
  const { code } = error as NodeJS.ErrnoException;
  const why = code === "ENOENT" ? "it is not there" : (code ?? String(error));
  return new EngineError("unavailable", `${command} cannot be started: ${why}`);
}
