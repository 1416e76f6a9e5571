import { createHash } from "node:crypto";
import { EngineError } from "../kernel/error.ts";
import type { ModelRecord } from "../models/model.ts";
import { createEmbeddingModel, type EmbeddingModel } from "../providers/embedding.ts";
import { describeModelError } from "../providers/errors.ts";
import { withRetries } from "../providers/retry.ts";
import type { Services } from "../services.ts";
import type { Reads } from "../store.ts";
import type { KnowledgeBaseRecord } from "./base.ts";

/** Every provider takes as many texts at once. */
export const TEXTS_AT_ONCE = 16;
const PATIENCE_MS = 60_000;
const ANY_CONTEXT_SIZE = 0;
/** No type of configured models has this name. */
const EMBEDDED = "embedded";

/** What makes vectors of a knowledge base's passages, and of the queries that look for them. */
export interface Embedder {
  /** The model, its dimensions and its address: vectors of two can't be compared. */
  readonly space: string;
  /** The embedded model, which a base without a configured one uses. */
  readonly is_embedded: boolean;
  /** At most `TEXTS_AT_ONCE`. Throws EngineError. */
  embedPassages(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
  embedQuery(text: string, signal: AbortSignal): Promise<Float32Array>;
}

interface EmbedContext {
  readonly read: Pick<Reads, "models">;
  readonly services: Pick<Services, "models" | "embedded_model">;
}

type Embedded = Pick<KnowledgeBaseRecord, "embedding_model_id">;

/** The one that a base's new vectors come from; undefined when it is to be searched by words alone. */
export async function findEmbedder(
  { read, services }: EmbedContext,
  { embedding_model_id }: Embedded,
): Promise<Embedder | undefined> {
  if (embedding_model_id === undefined) return embeddedEmbedder(services);
  const record = await read.models.get(embedding_model_id);
  return record && configuredEmbedder(services, record);
}

/**
 * The one whose vectors a base is searched by now: until those of a changed model are complete, the model
 * that it had before, as long as its provider and address are the same.
 */
export async function findSearchEmbedder(
  ctx: EmbedContext,
  base: Pick<KnowledgeBaseRecord, "embedding_model_id" | "vector_space">,
): Promise<Embedder | undefined> {
  const { vector_space, embedding_model_id } = base;
  if (vector_space === undefined) return undefined;
  const current = await findEmbedder(ctx, base);
  if (current?.space === vector_space) return current;
  if (embedding_model_id === undefined) return undefined;
  const record = await ctx.read.models.get(embedding_model_id);
  if (!record || !vector_space.startsWith(`${record.type}/`)) return undefined;
  const name = vector_space.slice(record.type.length + 1);
  const [, model_name = name, dimensions] = MARKED.exec(name) ?? [];
  const embedding_dim = Number(dimensions) || undefined;
  const earlier = configuredEmbedder(ctx.services, { ...record, model_name, embedding_dim });
  // Spaces of earlier releases have no mark, and are searched until their vectors are made anew.
  if (model_name === name) return { ...earlier, space: vector_space };
  return earlier.space === vector_space ? earlier : undefined;
}

const MARKED = /^(.*)#(\d*)-[0-9a-f]{8}$/s;
const MARK_CHARACTERS = 8;

/** The same name may stand for another model elsewhere, and one model gives vectors of several lengths. */
function spaceOf({ type, model_name, base_url = "", embedding_dim, extra_body }: ModelRecord) {
  const sent = JSON.stringify([base_url, extra_body?.dimensions]);
  const mark = createHash("sha256").update(sent).digest("hex").slice(0, MARK_CHARACTERS);
  return `${type}/${model_name}#${embedding_dim || ""}-${mark}`;
}

function embeddedEmbedder({ embedded_model: model }: EmbedContext["services"]) {
  if (!model) return undefined;
  const space = `${EMBEDDED}/${model.name}`;
  const embed = async (by: EmbeddingModel, values: string[], abortSignal: AbortSignal) => {
    try {
      return checked(space, (await by.doEmbed({ values, abortSignal })).embeddings, values.length);
    } catch (cause) {
      throw new EngineError("model_error", "the embedded model does not work here", { cause });
    }
  };
  return embedderOf({
    space,
    is_embedded: true,
    passages: (texts, signal) => embed(model.passages, texts, signal),
    queries: (texts, signal) => embed(model.queries, texts, signal),
  });
}

function configuredEmbedder({ models }: EmbedContext["services"], record: ModelRecord): Embedder {
  const embed: Embed = async (values, signal) => {
    const connection = models.connect(record, ANY_CONTEXT_SIZE);
    try {
      const model = await createEmbeddingModel(connection);
      const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      const { embeddings } = await withRetries(
        () => model.doEmbed({ values, abortSignal }),
        abortSignal,
      );
      return checked(record.name, embeddings, values.length, record.embedding_dim);
    } catch (error) {
      throw describeModelError(error, connection);
    }
  };
  return embedderOf({
    space: spaceOf(record),
    is_embedded: false,
    passages: embed,
    queries: embed,
  });
}

type Embed = (texts: string[], signal: AbortSignal) => Promise<Float32Array[]>;

interface Parts extends Pick<Embedder, "space" | "is_embedded"> {
  readonly passages: Embed;
  readonly queries: Embed;
}

const embedderOf = ({ passages, queries, ...about }: Parts): Embedder => ({
  ...about,
  embedPassages: (texts, signal) => passages([...texts], signal),
  embedQuery: async (text, signal) => {
    const [vector = new Float32Array()] = await queries([text], signal);
    return vector;
  },
});

function checked(
  name: string,
  embeddings: readonly (readonly number[])[],
  count: number,
  dimensions?: number,
): Float32Array[] {
  const lengths = new Set(embeddings.map(({ length }) => length));
  const [length = 0] = lengths;
  if (embeddings.length !== count || lengths.size !== 1 || length === 0)
    throw new EngineError("model_error", `model "${name}" gave no vector for some of the texts`);
  if (dimensions && dimensions !== length) {
    throw new EngineError(
      "model_error",
      `model "${name}" gives vectors of ${length} numbers, and embedding_dim says ${dimensions}`,
    );
  }
  return embeddings.map((numbers) => Float32Array.from(numbers));
}
