import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { median } from "./load.ts";
import { memoryOf, temporaryFolder } from "./processes.ts";

/** A server that has settled is measured after so long. */
const SETTLE_MS = 500;
const POLL_MS = 2;

/** From the start of the process to the first answer on /health; medians, the two in turns. */
export async function coldStart(executable: string, runs: number) {
  const bare: Sample[] = [];
  const troupe: Sample[] = [];
  for (let count = 0; count < runs; count += 1) {
    const data_dir = temporaryFolder();
    troupe.push(
      await sample(executable, (port) => ["serve", "--port", port, "--data-dir", data_dir]),
    );
    bare.push(
      await sample(process.execPath, (port) => [join(import.meta.dirname, "bare-server.ts"), port]),
    );
  }
  return {
    troupe_ms: median(troupe.map(({ ms }) => ms)),
    troupe_mb: median(troupe.map(({ mb }) => mb)),
    bare_ms: median(bare.map(({ ms }) => ms)),
    bare_mb: median(bare.map(({ mb }) => mb)),
  };
}

interface Sample {
  readonly ms: number;
  readonly mb: number;
}

async function sample(command: string, args: (port: string) => string[]): Promise<Sample> {
  const port = await freePort();
  const started = performance.now();
  const child = spawn(command, args(port), { stdio: "ignore" });
  while (!(await answers(port))) await delay(POLL_MS);
  const ms = performance.now() - started;
  await delay(SETTLE_MS);
  const mb = memoryOf(child.pid ?? 0);
  child.kill("SIGKILL");
  await once(child, "close");
  return { ms, mb };
}

async function answers(port: string): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${port}/health`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return String(typeof address === "object" ? address?.port : "");
}
