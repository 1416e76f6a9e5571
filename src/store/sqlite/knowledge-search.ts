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
const COMPARED_PER_WANTED = 10;

export function chunkMatchers(connection: Connection): ChunkMatchers {
  const words = Object.fromEntries(
    Object.values(TEXT_INDEXES).map((table) => [table, connection.prepare(wordsQuery(table))]),
  );
  const sketches = connection.prepare(SKETCHES_QUERY);
  const nearest = connection.prepare(NEAREST_QUERY);
  return {
    async matchWords({ index, terms, limit, ...place }) {
      if (terms.length === 0) return [];
      const query = { ...placeOf(place), terms: terms.map(quoted).join(" OR "), limit };
      return (words[TEXT_INDEXES[index]]?.all(query) ?? []) as Match[];
    },
    async matchMeaning({ space, vector, limit, ...place }) {
      const blocks = sketches.iterate({ ...placeOf(place), space }) as Iterable<SketchBlock>;
      const ids = nearestSketches(blocks, vector, limit * COMPARED_PER_WANTED);
      const query = { ids: JSON.stringify(ids), vector: bytesOf(vector), limit };
      return nearest.all(query) as Match[];
    },
  };
}

const placeOf = ({ knowledge_base_ids, file }: SearchPlace) => ({
  bases: JSON.stringify(knowledge_base_ids),
  file: file ?? null,
});

/** As a string, no term can be an operator of the query language. */
const quoted = (term: string): string => `"${term.replaceAll('"', '""')}"`;

export const bytesOf = ({ buffer, byteOffset, byteLength }: Float32Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
