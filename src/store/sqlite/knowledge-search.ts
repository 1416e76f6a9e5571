import type { Match, MeaningSearch, SearchPlace, WordSearch } from "#engine/knowledge/chunk.ts";
import type { Connection } from "./database.ts";
import { nearestSketches, type SketchBlock } from "./sketch.ts";

/** The two searches that may take a while; both also run in a thread with a connection of its own. */
export interface ChunkMatchers {
  matchWords(search: WordSearch): Promise<Match[]>;
  matchMeaning(search: MeaningSearch): Promise<Match[]>;
}

export const TEXT_INDEXES = {
  words: "knowledge_words",
  trigrams: "knowledge_trigrams",
  pairs: "knowledge_pairs",
} as const;

const PLACE = `f.status = 'ready'
  AND f.knowledge_base_id IN (SELECT value FROM json_each(:bases))
  AND (:file IS NULL OR instr(fold(f.file_name), fold(:file)) > 0)`;

const wordsQuery = (table: string) => `
  SELECT c.id, -bm25(${table}) AS score
  FROM ${table}
  JOIN knowledge_chunks c ON c.id = ${table}.rowid
  JOIN knowledge_files f ON f.id = c.file_id
  WHERE ${table} MATCH :terms AND ${PLACE}
  ORDER BY score DESC, c.id LIMIT :limit`;

/** The best of the whole index, of which as many as are in the place: the index ranks them much faster. */
const bestWordsQuery = (table: string) => `
  SELECT best.id, best.score, f.id IS NOT NULL AS is_in_place
  FROM (
    SELECT rowid AS id, -rank AS score FROM ${table}
    WHERE ${table} MATCH :terms ORDER BY rank LIMIT :best
  ) best
  LEFT JOIN knowledge_chunks c ON c.id = best.id
  LEFT JOIN knowledge_files f ON f.id = c.file_id AND ${PLACE}
  ORDER BY best.score DESC, best.id`;

/** For each passage wanted so many of the index's best are looked at. */
const BEST_PER_WANTED = 2;

const SKETCHES_QUERY = `
  SELECT s.vector_ids, s.signs
  FROM knowledge_files f
  JOIN knowledge_sketches s ON s.file_id = f.id AND s.space = :space
  WHERE ${PLACE}`;

const NEAREST_QUERY = `
  SELECT chunk_id AS id, 1 - vec_distance_cosine(vector, :vector) AS score
  FROM knowledge_vectors
  WHERE id IN (SELECT value FROM json_each(:ids)) AND length(vector) = length(:vector)
  ORDER BY score DESC, chunk_id LIMIT :limit`;

/** For each passage wanted so many are compared exactly: then none was missed, see docs/knowledge.md. */
const COMPARED_PER_WANTED = 5;

export function chunkMatchers(connection: Connection): ChunkMatchers {
  const words = matchersOf(connection, wordsQuery);
  const bestWords = matchersOf(connection, bestWordsQuery);
  const sketches = connection.prepare(SKETCHES_QUERY);
  const nearest = connection.prepare(NEAREST_QUERY);
  return {
    async matchWords({ index, terms, limit, ...place }) {
      if (terms.length === 0) return [];
      const query = { ...placeOf(place), terms: terms.map(quoted).join(" OR ") };
      const best = limit * BEST_PER_WANTED;
      const ranked = bestWords[index].all({ ...query, best }) as (Match & Placed)[];
      const found = ranked.filter(({ is_in_place }) => is_in_place === 1);
      if (found.length >= limit || ranked.length < best) return found.slice(0, limit).map(toMatch);
      return words[index].all({ ...query, limit }) as Match[];
    },
    async matchMeaning({ space, vector, limit, ...place }) {
      const blocks = sketches.iterate({ ...placeOf(place), space }) as Iterable<SketchBlock>;
      const ids = nearestSketches(blocks, vector, limit * COMPARED_PER_WANTED);
      const query = { ids: JSON.stringify(ids), vector: bytesOf(vector), limit };
      return nearest.all(query) as Match[];
    },
  };
}

interface Placed {
  readonly is_in_place: 0 | 1;
}

const toMatch = ({ id, score }: Match): Match => ({ id, score });

const matchersOf = (connection: Connection, query: (table: string) => string) => ({
  words: connection.prepare(query(TEXT_INDEXES.words)),
  trigrams: connection.prepare(query(TEXT_INDEXES.trigrams)),
  pairs: connection.prepare(query(TEXT_INDEXES.pairs)),
});

const placeOf = ({ knowledge_base_ids, file }: SearchPlace) => ({
  bases: JSON.stringify(knowledge_base_ids),
  file: file ?? null,
});

/** As a string, no term can be an operator of the query language. */
const quoted = (term: string): string => `"${term.replaceAll('"', '""')}"`;

export const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
