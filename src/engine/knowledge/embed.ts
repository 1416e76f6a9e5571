import { EngineError } from "../kernel/error.ts";
import type { ModelRecord } from "../models/model.ts";
import { createEmbeddingModel } from "../providers/embedding.ts";
import { describeModelError } from "../providers/errors.ts";
import { withRetries } from "../providers/retry.ts";
import type { Services } from "../services.ts";

/** Every provider takes as many texts at once. */
export const TEXTS_AT_ONCE = 16;
const PATIENCE_MS = 60_000;
const ANY_CONTEXT_SIZE = 0;

/** Vectors of one model can't be compared with another's. */
export const vectorSpaceOf = ({ type, model_name }: ModelRecord): string => `${type}/${model_name}`;

/** What texts mean, as a configured model sees it; at most `TEXTS_AT_ONCE`. Throws EngineError. */
export async function embedTexts(
  { models }: Pick<Services, "models">,
  record: ModelRecord,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  const connection = models.connect(record, ANY_CONTEXT_SIZE);
  try {
    const model = await createEmbeddingModel(connection);
    const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const { embeddings } = await withRetries(
      () => model.doEmbed({ values: [...texts], abortSignal }),
      abortSignal,
    );
    return checked(record, embeddings, texts.length);
  } catch (error) {
    throw describeModelError(error, connection);
  }
}

function checked(
  { name, embedding_dim }: ModelRecord,
  embeddings: readonly (readonly number[])[],
  count: number,
): Float32Array[] {
  const lengths = new Set(embeddings.map(({ length }) => length));
  const [length = 0] = lengths;
  if (embeddings.length !== count || lengths.size !== 1 || length === 0)
    throw new EngineError("model_error", `model "${name}" gave no vector for some of the texts`);
  if (embedding_dim && embedding_dim !== length) {
    throw new EngineError(
      "model_error",
      `model "${name}" gives vectors of ${length} numbers, and embedding_dim says ${embedding_dim}`,
    );
  }
  return embeddings.map((numbers) => Float32Array.from(numbers));
}
