import { parentPort } from "node:worker_threads";
import type { WorkerAnswer, WorkerRequest } from "#cli/worker.ts";
import {
  type EmbeddingFiles,
  embedText,
  openEmbedding,
  type TextToEmbed,
} from "#engine/embedding/thread.ts";
import {
  type ChunkRange,
  extractFile,
  type FilePart,
  type FileToExtract,
  readChunks,
  receivePart,
} from "#engine/knowledge/extraction/thread.ts";
import { type MatchRequest, matchMeaning, matchWords } from "#store/sqlite/knowledge-thread.ts";

/** What runs off the main thread, by name: work that would stall every open stream. */
const TASKS: Readonly<Record<string, (input: unknown) => Promise<unknown>>> = {
  ping: async (input) => input,
  receive_part: async (input) => receivePart(input as FilePart),
  extract: (input) => extractFile(input as FileToExtract),
  read_chunks: async (input) => readChunks(input as ChunkRange),
  open_embedding: async (input) => openEmbedding(input as EmbeddingFiles),
  embed: async (input) => embedText(input as TextToEmbed),
  match_words: async (input) => matchWords(input as MatchRequest<"words">),
  match_meaning: async (input) => matchMeaning(input as MatchRequest<"meaning">),
};

parentPort?.on("message", ({ id, task, input }: WorkerRequest) => {
  void answer(id, task, input);
});

async function answer(id: number, task: string, input: unknown): Promise<void> {
  parentPort?.postMessage(await outcome(id, task, input));
}

async function outcome(id: number, task: string, input: unknown): Promise<WorkerAnswer> {
  try {
    const work = TASKS[task];
    if (!work) throw new Error(`there is no task "${task}"`);
    return { id, output: await work(input) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
