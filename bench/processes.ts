import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Running {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const TICKS_PER_S = 100;

/** Starts a program that says `listening on URL`. */
export async function start(command: string, args: readonly string[]): Promise<Running> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const url = await addressOf(child);
  const ended = new Promise((done) => child.once("close", done));
  return {
    url,
    pid: child.pid ?? 0,
    async stop() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let text = "";
    child.stdout?.on("data", (chunk) => {
      text += String(chunk);
      const url = /listening on (\S+)\n/.exec(text)?.[1];
      if (url) found(url);
    });
    child.once("close", (code) => failed(new Error(`ended with ${code}`)));
  });
}

/** Processor time a process has used so far, in milliseconds. */
export function cpuOf(pid: number): number {
  if (process.platform === "linux") {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_S;
  }
  const [minutes = "0", seconds = "0"] = execFileSync("ps", ["-o", "time=", "-p", String(pid)], {
    encoding: "utf8",
  })
    .trim()
    .split(":")
    .slice(-2);
  return (Number(minutes) * 60 + Number(seconds)) * 1000;
}

/** Resident memory in megabytes. */
export const memoryOf = (pid: number): number =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) / 1024;

const folders: string[] = [];

process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  folders.push(folder);
  return folder;
}
