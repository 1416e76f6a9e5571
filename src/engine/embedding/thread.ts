import { setImmediate as otherWork } from "node:timers/promises";
import { createNetwork, type Network, type Purpose, TOKENS_MAX } from "./network.ts";
import { createWordPieces, type WordPieces } from "./word-piece.ts";

/** The embedded model as the build wrote it. */
export interface EmbeddingFiles {
  readonly kernel: Uint8Array<ArrayBuffer>;
  readonly weights: Uint8Array<ArrayBuffer>;
  readonly vocabulary: string;
}

export interface TextToEmbed {
  readonly text: string;
  readonly purpose: Purpose;
}

interface Opened {
  readonly network: Network;
  readonly pieces: WordPieces;
}

/** No text of so many characters has fewer pieces than the model takes. */
const CHARACTERS_MAX = 100 * TOKENS_MAX;

let opened: Opened | undefined;
let last_passage: Promise<unknown> = Promise.resolve();

/** Makes the model ready in this thread, which is there for it alone. */
export async function openEmbedding({
  kernel,
  weights,
  vocabulary,
}: EmbeddingFiles): Promise<void> {
  opened = {
    network: await createNetwork(kernel, weights),
    pieces: createWordPieces(vocabulary),
  };
}

/** A text's vector. Passages wait for each other; a query waits for one layer of one passage at most. */
export async function embedText({ text, purpose }: TextToEmbed): Promise<Float32Array> {
  if (!opened) throw new Error("the embedded model is not open");
  const { network, pieces } = opened;
  const ids = pieces.encode(text.slice(0, CHARACTERS_MAX), TOKENS_MAX);
  if (purpose === "query") return atOnce(network.work(ids, purpose));
  const passage = last_passage.then(() => yielding(network.work(ids, purpose)));
  last_passage = passage.catch(() => undefined);
  return passage;
}

type Work = ReturnType<Network["work"]>;

function atOnce(work: Work): Float32Array {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

async function yielding(work: Work): Promise<Float32Array> {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await otherWork();
  }
}
