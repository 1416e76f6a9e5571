import type { ExtractChunks } from "#engine/knowledge/extraction.ts";
import { type PackedChunks, unpackChunks } from "#engine/knowledge/packed-chunks.ts";
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
  const stopped = Promise.withResolvers<Answer>();
  const started_ms = performance.now();
  const resident = process.memoryUsage.rss();
  const watch = setInterval(() => {
    if (performance.now() - started_ms > TIME_MAX_MS)
      stopped.resolve({ problem: `it takes longer than ${TIME_MAX_MS / 1000} s to read` });
    else if (process.memoryUsage.rss() - resident > GROWTH_BYTES_MAX) stopped.resolve(TOO_LARGE);
  }, LOOK_EVERY_MS);
  const answer = await Promise.race([extract(worker, file_type, bytes), stopped.promise]);
  clearInterval(watch);
  await worker.close();
  return "problem" in answer ? answer : { chunks: unpackChunks(answer) };
};

type Answer = PackedChunks | { readonly problem: string };

async function extract(
  worker: BackgroundWorker,
  file_type: string,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Answer> {
  try {
    const file = { file_type, bytes, vocabulary: readVocabulary() };
    return (await worker.run("extract", file, [bytes.buffer])) as Answer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ERR_WORKER_OUT_OF_MEMORY") return TOO_LARGE;
    return { problem: `it cannot be read as ${file_type}` };
  }
}

const TOO_LARGE: Answer = { problem: "it takes too much memory to read" };
