import type { Match, MeaningSearch, SearchPlace, WordSearch } from "#engine/knowledge/chunk.ts";
import type { Connection } from "./database.ts";

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

const MEANING_QUERY = `
  SELECT v.chunk_id AS id, 1 - vec_distance_cosine(v.vector, :vector) AS score
  FROM knowledge_files f
  JOIN knowledge_vectors v ON v.file_id = f.id
  WHERE v.model = :model AND ${PLACE}
  ORDER BY score DESC, id LIMIT :limit`;

export function chunkMatchers(connection: Connection): ChunkMatchers {
  const words = Object.fromEntries(
    Object.values(TEXT_INDEXES).map((table) => [table, connection.prepare(wordsQuery(table))]),
  );
  const meaning = connection.prepare(MEANING_QUERY);
  return {
    async matchWords({ index, terms, limit, ...place }) {
      if (terms.length === 0) return [];
      const query = { ...placeOf(place), terms: terms.map(quoted).join(" OR "), limit };
      return (words[TEXT_INDEXES[index]]?.all(query) ?? []) as Match[];
    },
    matchMeaning: async ({ model, vector, limit, ...place }) =>
      meaning.all({ ...placeOf(place), model, vector: bytesOf(vector), limit }) as Match[],
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
