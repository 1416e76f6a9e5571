import type { Services } from "../services.ts";
import type { Reads } from "../store.ts";
import type { KnowledgeBaseRecord } from "./base.ts";
import type { Match, NamedChunk, TextIndex } from "./chunk.ts";
import { type Embedder, findSearchEmbedder } from "./embed.ts";
import { CANDIDATES, fuse } from "./fuse.ts";
import { isName, searchTerms, textIndexOf } from "./language.ts";

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
  readonly services: Pick<Services, "models" | "embedded_model" | "log">;
  readonly signal: AbortSignal;
}

export type FoundPassage = NamedChunk & { readonly score: number };

const INDEXES: readonly TextIndex[] = ["words", "trigrams", "pairs"];

/**
 * The passages that answer a query best, by its words and by what it means. Bases with the same embedding
 * model are searched as one; a base without vectors, or whose model fails, by words alone.
 */
export async function searchKnowledge(
  ctx: SearchContext,
  bases: readonly KnowledgeBaseRecord[],
  query: KnowledgeQuery,
): Promise<FoundPassage[]> {
  const groups = Map.groupBy(bases, ({ embedding_model_id: id, vector_space }) =>
    JSON.stringify([id, vector_space]),
  );
  const found = await Promise.all(
    [...groups.values()].map((members) => searchGroup(ctx, members, query)),
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
  bases: readonly KnowledgeBaseRecord[],
  { query, file, similarity_threshold }: KnowledgeQuery,
): Promise<Match[]> {
  const place = { knowledge_base_ids: bases.map(({ id }) => id), file, limit: CANDIDATES };
  const chunks = ctx.read.knowledge_chunks;
  const own = textIndexOf(query);
  const [meaning, ...words] = await Promise.all([
    findMeaning(ctx, bases[0], query, place),
    ...INDEXES.map(async (index) => ({
      is_own: index === own,
      matches: await chunks.matchWords({ ...place, index, terms: searchTerms(index, query) }),
    })),
  ]);
  const is_english = own === "words" && !isName(query);
  const fused = fuse({ words, meaning: meaning?.matches, is_english });
  if (!meaning || similarity_threshold === undefined) return fused;
  return withoutFar(ctx, fused, meaning, similarity_threshold);
}

/** What a query means, and the passages that are most like it, best first: at least one. */
interface Meaning {
  readonly space: string;
  readonly vector: Float32Array;
  readonly matches: readonly Match[];
}

/** What was found by its words is compared as well; of a passage without a vector, nothing is known. */
async function withoutFar(
  { read }: SearchContext,
  found: readonly Match[],
  { space, vector, matches }: Meaning,
  threshold: number,
): Promise<Match[]> {
  const scores = new Map(matches.map(({ id, score }) => [id, score]));
  const ids = found.map(({ id }) => id).filter((id) => !scores.has(id));
  const compared = await read.knowledge_chunks.compareMeaning({ ids, space, vector });
  for (const { id, score } of compared) scores.set(id, score);
  return found.filter(({ id }) => (scores.get(id) ?? threshold) >= threshold);
}

async function findMeaning(
  ctx: SearchContext,
  base: KnowledgeBaseRecord | undefined,
  query: string,
  place: { knowledge_base_ids: readonly string[]; file?: string | undefined; limit: number },
): Promise<Meaning | undefined> {
  const embedder = base && (await findSearchEmbedder(ctx, base));
  const vector = embedder && (await embedQuery(ctx, embedder, query));
  if (!vector) return undefined;
  const { space } = embedder;
  const matches = await ctx.read.knowledge_chunks.matchMeaning({ ...place, space, vector });
  // Without vectors to compare with, nothing is known of the meaning.
  return matches.length > 0 ? { space, vector, matches } : undefined;
}

/** A model that is away must not take the words down with it. */
async function embedQuery(
  { services, signal }: SearchContext,
  embedder: Embedder,
  query: string,
): Promise<Float32Array | undefined> {
  try {
    return await embedder.embedQuery(query, signal);
  } catch (error) {
    signal.throwIfAborted();
    const about = { err: error, model: embedder.space };
    services.log.warn(about, "searched without the embedding model");
    return undefined;
  }
}
