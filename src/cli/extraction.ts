import type { ExtractChunks, Extraction } from "#engine/knowledge/extraction.ts";
import { readVocabulary } from "./embedder.ts";
import { type BackgroundWorker, startWorker } from "./worker.ts";

const TIME_MAX_MS = 60_000;
const MEGABYTE = 1024 * 1024;
const HEAP_MB = 512;
/** What unpacking takes lies outside of the thread's own heap, so the process as a whole is watched. */
const GROWTH_BYTES_MAX = 640 * MEGABYTE;
const LOOK_EVERY_MS = 50;

/** Reads each file in a new thread, which is stopped when it takes too much time or memory. */
export const extractInThread: ExtractChunks = async ({ file_type, bytes }) => {
  const worker = startWorker({ resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
  const stopped = Promise.withResolvers<Extraction>();
  const started_ms = performance.now();
  const resident = process.memoryUsage.rss();
  const watch = setInterval(() => {
    if (performance.now() - started_ms > TIME_MAX_MS)
      stopped.resolve({ problem: `it takes longer than ${TIME_MAX_MS / 1000} s to read` });
    else if (process.memoryUsage.rss() - resident > GROWTH_BYTES_MAX) stopped.resolve(TOO_LARGE);
  }, LOOK_EVERY_MS);
  try {
    return await Promise.race([extract(worker, file_type, bytes), stopped.promise]);
  } finally {
    clearInterval(watch);
    await worker.close();
  }
};

async function extract(
  worker: BackgroundWorker,
  file_type: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Extraction> {
  try {
    const file = { file_type, bytes, vocabulary: readVocabulary() };
    return (await worker.run("extract", file, [bytes.buffer])) as Extraction;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ERR_WORKER_OUT_OF_MEMORY") return TOO_LARGE;
    return { problem: `it cannot be read as ${file_type}` };
  }
}

const TOO_LARGE: Extraction = { problem: "it takes too much memory to read" };
