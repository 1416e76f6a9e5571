import type { ModelRecord } from "../models/model.ts";
import type { Services } from "../services.ts";
import type { Reads } from "../store.ts";
import type { KnowledgeBaseRecord } from "./base.ts";
import type { Match, NamedChunk, TextIndex } from "./chunk.ts";
import { embedTexts, vectorSpaceOf } from "./embed.ts";
import { fuse } from "./fuse.ts";
import { searchTerms, textIndexOf } from "./language.ts";

export interface KnowledgeQuery {
  readonly query: string;
  readonly limit: number;
  /** A part of a file's name. */
  readonly file?: string | undefined;
  /** Passages less like the query are left out, from 0 to 1; where there is an embedding model. */
  readonly similarity_threshold?: number | undefined;
}

/** What a search has in its hands. */
export interface SearchContext {
  readonly read: Pick<Reads, "knowledge_chunks" | "models">;
  readonly services: Pick<Services, "models" | "log">;
  readonly signal: AbortSignal;
}

export type FoundPassage = NamedChunk & { readonly score: number };

/** So many of each kind are weighed against each other. */
const CANDIDATES = 100;
const INDEXES: readonly TextIndex[] = ["words", "trigrams", "pairs"];

/**
 * The passages that answer a query best, by its words and by what it means. Bases with the same embedding
 * model are searched as one; a base without a model, or whose model fails, by words alone.
 */
export async function searchKnowledge(
  ctx: SearchContext,
  bases: readonly KnowledgeBaseRecord[],
  query: KnowledgeQuery,
): Promise<FoundPassage[]> {
  const groups = Map.groupBy(bases, ({ embedding_model_id }) => embedding_model_id);
  const found = await Promise.all(
    [...groups].map(([model_id, members]) => searchGroup(ctx, model_id, members, query)),
  );
  const best = found
    .flat()
    .sort((left, right) => right.score - left.score)
    .slice(0, query.limit);
  const named = await ctx.read.knowledge_chunks.listNamed(best.map(({ id }) => id));
  const byId = new Map(named.map((chunk) => [chunk.id, chunk]));
  // A file may have been deleted since it was found.
  return best.flatMap(({ id, score }) => {
    const chunk = byId.get(id);
    return chunk ? [{ ...chunk, score }] : [];
  });
}

async function searchGroup(
  ctx: SearchContext,
  model_id: number | undefined,
  bases: readonly KnowledgeBaseRecord[],
  { query, file, similarity_threshold }: KnowledgeQuery,
): Promise<Match[]> {
  const place = { knowledge_base_ids: bases.map(({ id }) => id), file, limit: CANDIDATES };
  const chunks = ctx.read.knowledge_chunks;
  const own = textIndexOf(query);
  const [meaning, ...words] = await Promise.all([
    findMeaning(ctx, model_id, query, place),
    ...INDEXES.map(async (index) => ({
      is_own: index === own,
      matches: await chunks.matchWords({ ...place, index, terms: searchTerms(index, query) }),
    })),
  ]);
  const fused = fuse({ words, meaning, is_english: own === "words" });
  if (!meaning || similarity_threshold === undefined) return fused;
  const near = new Set(meaning.filter(({ score }) => score >= similarity_threshold).map(idOf));
  return fused.filter(({ id }) => near.has(id));
}

const idOf = ({ id }: Match): number => id;

async function findMeaning(
  ctx: SearchContext,
  model_id: number | undefined,
  query: string,
  place: { knowledge_base_ids: readonly string[]; file?: string | undefined; limit: number },
): Promise<Match[] | undefined> {
  const model = model_id === undefined ? undefined : await ctx.read.models.get(model_id);
  const vector = model && (await embedQuery(ctx, model, query));
  if (!vector) return undefined;
  return ctx.read.knowledge_chunks.matchMeaning({ ...place, model: vectorSpaceOf(model), vector });
}

/** A model that is away must not take the words down with it. */
async function embedQuery(
  { services, signal }: SearchContext,
  model: ModelRecord,
  query: string,
): Promise<Float32Array | undefined> {
  try {
    const [vector] = await embedTexts(services, model, [query], signal);
    return vector;
  } catch (error) {
    signal.throwIfAborted();
    services.log.warn({ err: error, model: model.name }, "searched without the embedding model");
    return undefined;
  }
}
