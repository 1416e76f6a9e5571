import { statfs } from "node:fs/promises";
import { runningServer } from "./client/connect.ts";
import { checkStore } from "./compose.ts";
import { prepareDirectory } from "./data-directory.ts";
import { createEmbedder } from "./threads/embedder.ts";
import { startWorker } from "./threads/worker.ts";

export interface Check {
  readonly check: string;
  readonly ok: boolean;
  /** What was found, or what is wrong. */
  readonly detail: string;
}

/** Tries every part that this machine could keep from working. */
export async function checkInstallation(data_dir: string): Promise<Check[]> {
  return [
    await attempt(
      "runtime",
      async () => `Node ${process.versions.node} on ${process.platform}-${process.arch}`,
    ),
    await attempt("database", async () => checkStore.database()),
    await attempt("vector search", async () => checkStore.vectors()),
    await attempt("worker thread", checkWorker),
    await attempt("embedded model", checkEmbeddedModel),
    await attempt("terminal interface", async () => {
      const { checkTerminalInterface } = await import("./chat/check-terminal.ts");
      return checkTerminalInterface();
    }),
    await attempt("data directory", async () => {
      prepareDirectory(data_dir);
      return `${data_dir}, ${await freeSpace(data_dir)}`;
    }),
    await attempt("data", async () => checkStore.file(data_dir)),
    await attempt("server", async () => describeServer(data_dir)),
  ];
}

async function attempt(check: string, work: () => Promise<string>): Promise<Check> {
  try {
    return { check, ok: true, detail: await work() };
  } catch (error) {
    return { check, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

/** SQLite needs some to work at all: for its log, and to sort. */
const LEAST_FREE_MIB = 64;

async function freeSpace(directory: string): Promise<string> {
  const { bavail, bsize } = await statfs(directory);
  const free_mib = (bavail * bsize) / 1024 ** 2;
  if (free_mib < LEAST_FREE_MIB)
    throw new Error(`${directory} has only ${free_mib.toFixed(1)} MiB left on its disk`);
  return `${(free_mib / 1024).toFixed(1)} GiB free`;
}

/** None is fine: most commands work without one. */
async function describeServer(data_dir: string): Promise<string> {
  const url = await runningServer(data_dir);
  return url === undefined ? "none runs on this directory" : `answers at ${url}`;
}

async function checkWorker(): Promise<string> {
  const worker = startWorker();
  try {
    const echo = await worker.run("ping", "pong");
    if (echo !== "pong") throw new Error("the worker gave a wrong answer");
    return "answers";
  } finally {
    await worker.close();
  }
}

/** Whether it sees what is alike. */
async function checkEmbeddedModel(): Promise<string> {
  const { model, close } = createEmbedder();
  if (!model) throw new Error("this build has none: knowledge is searched by words alone");
  try {
    const values = ["a cat", "a kitten", "a tax return"];
    const { embeddings } = await model.queries.doEmbed({ values });
    const [cat = [], kitten = [], tax = []] = embeddings;
    if (likeness(cat, kitten) <= likeness(cat, tax)) throw new Error("it gave a wrong answer");
    return `${model.name}, ${cat.length} numbers a text`;
  } finally {
    await close();
  }
}

const likeness = (left: readonly number[], right: readonly number[]): number =>
  left.reduce((sum, number, at) => sum + number * (right[at] ?? 0), 0);
