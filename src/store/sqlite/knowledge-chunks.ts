import type { ChunkWrites, Match, NamedChunk, StoredChunk } from "#engine/knowledge/chunk.ts";
import type { Connection } from "./database.ts";
import { bytesOf, type ChunkMatchers, TEXT_INDEXES } from "./knowledge-search.ts";
import { vectorWrites } from "./knowledge-vectors.ts";
import { present } from "./rows.ts";

type Row<Of extends StoredChunk> = Omit<Of, "headings"> & { headings: string };

/** In SQL as it is: drizzle knows no full text. */
export function knowledgeChunkRepository(
  connection: Connection,
  matchers: ChunkMatchers,
): ChunkWrites {
  const insert = connection.prepare(`
    INSERT INTO knowledge_chunks (file_id, seq, "start", "end", page, headings, "index", "text")
    VALUES (:file_id, :seq, :start, :end, :page, :headings, :index, :text)
    ON CONFLICT DO NOTHING`);
  const enter = Object.fromEntries(
    Object.entries(TEXT_INDEXES).map(([index, table]) => [
      index,
      connection.prepare(`INSERT INTO ${table} (rowid, text) VALUES (?, ?)`),
    ]),
  );
  const count = connection
    .prepare("SELECT count(*) FROM knowledge_chunks WHERE file_id = ?")
    .pluck();
  const named = connection.prepare(`
    SELECT c.*, f.file_name, b.name AS knowledge_base
    FROM knowledge_chunks c
    JOIN knowledge_files f ON f.id = c.file_id
    JOIN knowledge_bases b ON b.id = f.knowledge_base_id
    WHERE c.id IN (SELECT value FROM json_each(?))`);
  const withoutVector = connection.prepare(`
    SELECT c.* FROM knowledge_chunks c
    LEFT JOIN knowledge_vectors v ON v.chunk_id = c.id AND v.space = :space
    WHERE c.file_id = :file_id AND v.chunk_id IS NULL
    ORDER BY c.seq LIMIT :limit`);
  const compared = connection.prepare(`
    SELECT chunk_id AS id, 1 - vec_distance_cosine(vector, :vector) AS score
    FROM knowledge_vectors
    WHERE chunk_id IN (SELECT value FROM json_each(:ids)) AND space = :space
      AND length(vector) = length(:vector)`);
  const rubbish = connection.prepare("SELECT file_id FROM knowledge_rubbish LIMIT 1").pluck();
  const sweepChunks = connection.prepare(`
    DELETE FROM knowledge_chunks
    WHERE id IN (SELECT id FROM knowledge_chunks WHERE file_id = ? LIMIT ?)`);
  const forget = connection.prepare("DELETE FROM knowledge_rubbish WHERE file_id = ?");
  return {
    ...matchers,
    ...vectorWrites(connection),
    count: async (file_id) => Number(count.get(file_id)),
    compareMeaning: async ({ ids, space, vector }) =>
      compared.all({ ids: JSON.stringify(ids), space, vector: bytesOf(vector) }) as Match[],
    listNamed: async (ids) =>
      (named.all(JSON.stringify(ids)) as Row<NamedChunk>[]).map((row) => toChunk(row)),
    listWithoutVector: async (file_id, space, limit) =>
      (withoutVector.all({ file_id, space, limit }) as Row<StoredChunk>[]).map((row) =>
        toChunk(row),
      ),
    async insert(chunks) {
      for (const { indexed_text, headings, page = null, ...chunk } of chunks) {
        const row = { ...chunk, page, headings: JSON.stringify(headings) };
        const { changes, lastInsertRowid } = insert.run(row);
        if (changes > 0) enter[chunk.index]?.run(lastInsertRowid, indexed_text);
      }
    },
    async sweep(limit) {
      const file_id = rubbish.get();
      if (file_id === undefined) return false;
      if (sweepChunks.run(file_id, limit).changes < limit) forget.run(file_id);
      return true;
    },
  };
}

const toChunk = <Of extends StoredChunk>(row: Row<Of>): Of =>
  ({ ...present(row), headings: JSON.parse(row.headings) as string[] }) as unknown as Of;
