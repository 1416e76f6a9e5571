import { parentPort } from "node:worker_threads";
import type { WorkerAnswer, WorkerRequest } from "#cli/worker.ts";
import {
  type EmbeddingFiles,
  embedText,
  openEmbedding,
  type TextToEmbed,
} from "#engine/embedding/thread.ts";
import { extractChunks } from "#engine/knowledge/extraction/extract.ts";
import { type PackedChunks, packChunks } from "#engine/knowledge/packed-chunks.ts";
import { type MatchRequest, matchMeaning, matchWords } from "#store/sqlite/knowledge-thread.ts";

interface ReadableFile {
  readonly file_type: string;
  readonly bytes: Uint8Array;
  readonly vocabulary?: string;
}

/** What runs off the main thread, by name: work that would stall every open stream. */
const TASKS: Readonly<Record<string, (input: unknown) => Promise<unknown>>> = {
  ping: async (input) => input,
  extract: (input) => extract(input as ReadableFile),
  open_embedding: async (input) => openEmbedding(input as EmbeddingFiles),
  embed: async (input) => embedText(input as TextToEmbed),
  match_words: async (input) => matchWords(input as MatchRequest<"words">),
  match_meaning: async (input) => matchMeaning(input as MatchRequest<"meaning">),
};

async function extract({ file_type, bytes, vocabulary }: ReadableFile): Promise<unknown> {
  const extraction = await extractChunks(file_type, bytes, vocabulary);
  return "problem" in extraction ? extraction : packChunks(extraction.chunks);
}

parentPort?.on("message", ({ id, task, input }: WorkerRequest) => {
  void answer(id, task, input);
});

async function answer(id: number, task: string, input: unknown): Promise<void> {
  const told = await outcome(id, task, input);
  parentPort?.postMessage(told, given(told));
}

/** A text goes over to who asked for it, without a copy. */
const given = (told: WorkerAnswer): ArrayBuffer[] => {
  const text =
    "output" in told ? (told.output as Partial<PackedChunks> | undefined)?.text : undefined;
  return text instanceof Uint8Array ? [text.buffer] : [];
};

async function outcome(id: number, task: string, input: unknown): Promise<WorkerAnswer> {
  try {
    const work = TASKS[task];
    if (!work) throw new Error(`there is no task "${task}"`);
    return { id, output: await work(input) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
