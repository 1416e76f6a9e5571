import type { Chunk } from "#engine/knowledge/chunk.ts";
import type { ChunkRange, FilePart, FileToExtract } from "#engine/knowledge/extraction/thread.ts";
import type { ExtractChunks, FileContent } from "#engine/knowledge/extraction.ts";
import { readVocabulary } from "./embedder.ts";
import { type BackgroundWorker, startWorker } from "./worker.ts";

const TIME_MAX_MS = 60_000;
const MEGABYTE = 1024 * 1024;
const HEAP_MB = 512;
/** What is allocated between two collections adds to the memory of a file, and little to the speed. */
const YOUNG_HEAP_MB = 16;
/** What unpacking takes lies outside of the thread's own heap, so the process as a whole is watched. */
const GROWTH_BYTES_MAX = 640 * MEGABYTE;
const LOOK_EVERY_MS = 50;

/** Reads each file in a new thread, which is stopped when it takes too much time or memory. */
export const extractInThread: ExtractChunks = async (file) => {
  const worker = startWorker({
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  });
  const stopped = Promise.withResolvers<Answer>();
  const started_ms = performance.now();
  const resident = process.memoryUsage.rss();
  const watch = setInterval(() => {
    if (performance.now() - started_ms > TIME_MAX_MS)
      stopped.resolve({ problem: `it takes longer than ${TIME_MAX_MS / 1000} s to read` });
    else if (process.memoryUsage.rss() - resident > GROWTH_BYTES_MAX) stopped.resolve(TOO_LARGE);
  }, LOOK_EVERY_MS);
  const answer = await Promise.race([extract(worker, file), stopped.promise]);
  clearInterval(watch);
  if ("problem" in answer) {
    await worker.close();
    return answer;
  }
  const read = async (seq: number, limit: number) =>
    (await worker.run("read_chunks", { seq, limit } satisfies ChunkRange)) as Chunk[];
  return { chunk_count: answer.chunk_count, read, close: worker.close };
};

type Answer = { readonly chunk_count: number } | { readonly problem: string };

async function extract(
  worker: BackgroundWorker,
  { file_type, file_size, parts }: FileContent,
): Promise<Answer> {
  try {
    for await (const bytes of parts) {
      const part: FilePart = { file_size, bytes };
      await worker.run("receive_part", part, [bytes.buffer]);
    }
    const file: FileToExtract = { file_type, vocabulary: readVocabulary() };
    return (await worker.run("extract", file)) as Answer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ERR_WORKER_OUT_OF_MEMORY") return TOO_LARGE;
    return { problem: `it cannot be read as ${file_type}` };
  }
}

const TOO_LARGE: Answer = { problem: "it takes too much memory to read" };
