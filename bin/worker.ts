import { answerTasks } from "#cli/worker-tasks.ts";
import {
  type EmbeddingFiles,
  embedText,
  openEmbedding,
  type TextToEmbed,
} from "#engine/embedding/thread.ts";
import { extractChunks } from "#engine/knowledge/extraction/extract.ts";
import { type PackedChunks, packChunks } from "#engine/knowledge/packed-chunks.ts";

interface ReadableFile {
  readonly file_type: string;
  readonly bytes: Uint8Array;
  readonly vocabulary?: string;
}

async function extract({ file_type, bytes, vocabulary }: ReadableFile): Promise<unknown> {
  const extraction = await extractChunks(file_type, bytes, vocabulary);
  return "problem" in extraction ? extraction : packChunks(extraction.chunks);
}

/** A text goes over to who asked for it. */
function textOf(output: unknown): ArrayBuffer[] {
  const text = (output as Partial<PackedChunks> | undefined)?.text;
  return text instanceof Uint8Array ? [text.buffer] : [];
}

/** What is computed off the main thread: it would stall every open stream. */
answerTasks(
  {
    ping: async (input) => input,
    extract: (input) => extract(input as ReadableFile),
    open_embedding: async (input) => openEmbedding(input as EmbeddingFiles),
    embed: async (input) => embedText(input as TextToEmbed),
  },
  textOf,
);
