import type { EmbeddingFiles, TextToEmbed } from "#engine/embedding/thread.ts";
import type { EmbeddedModel, EmbeddingModel } from "#engine/providers/embedding.ts";
import { hasAsset, readAsset, readTextAsset } from "../assets.ts";
import { createThread } from "./thread.ts";
import { type BackgroundWorker, startWorker } from "./worker.ts";

const FILES = {
  kernel: "dist/embedding/kernel.wasm",
  weights: "dist/embedding/weights.bin",
  vocabulary: "dist/embedding/vocabulary.txt",
} as const;

/** The words that passages are measured with; undefined in a build without the embedded model. */
export const readVocabulary = (): string | undefined =>
  hasAsset(FILES.vocabulary) ? readTextAsset(FILES.vocabulary) : undefined;

export interface Embedder {
  /** Undefined in a build without the model's files. */
  readonly model: EmbeddedModel | undefined;
  close(): Promise<void>;
}

/** The embedded model in a thread of its own, which the first text starts. */
export function createEmbedder(): Embedder {
  const thread = createThread(openThread);
  const embed = async (input: TextToEmbed): Promise<number[]> =>
    Array.from((await thread.run("embed", input)) as Float32Array);

  const of = (purpose: TextToEmbed["purpose"]): EmbeddingModel => ({
    doEmbed: async ({ values, abortSignal }) => {
      const embeddings: number[][] = [];
      for (const text of values) {
        abortSignal?.throwIfAborted();
        embeddings.push(await embed({ text, purpose }));
      }
      return { embeddings, warnings: [] };
    },
  });
  const is_there = Object.values(FILES).every(hasAsset);
  return {
    model: is_there
      ? { name: "all-MiniLM-L6-v2", queries: of("query"), passages: of("passage") }
      : undefined,
    close: thread.close,
  };
}

async function openThread(): Promise<BackgroundWorker> {
  const worker = startWorker();
  const weights = new Uint8Array(readAsset(FILES.weights));
  const files: EmbeddingFiles = {
    kernel: new Uint8Array(readAsset(FILES.kernel)),
    weights,
    vocabulary: readTextAsset(FILES.vocabulary),
  };
  try {
    await worker.run("open_embedding", files, [weights.buffer]);
    return worker;
  } catch (error) {
    await worker.close();
    throw error;
  }
}
