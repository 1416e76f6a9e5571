import type { ChunkWrites } from "#engine/knowledge/chunk.ts";
import type { Connection } from "./database.ts";
import { bytesOf } from "./knowledge-search.ts";
import { idsOf, signsOf } from "./sketch.ts";

/** So many vectors of a file share a row of signs. */
const SKETCH_VECTORS = 1024;
const BYTES_PER_ID = 4;

type VectorWrites = Pick<ChunkWrites, "insertVectors" | "retireSpaces" | "sweepVectors">;

interface Sketch {
  readonly id: number;
  readonly vector_ids: Buffer;
  readonly signs: Buffer;
}

/** In SQL as it is, like the chunks that the vectors belong to. */
export function vectorWrites(connection: Connection): VectorWrites {
  const insert = connection.prepare(`
    INSERT INTO knowledge_vectors (chunk_id, space, vector) VALUES (?, ?, ?)
    ON CONFLICT DO NOTHING`);
  const openSketch = connection.prepare(`
    SELECT id, vector_ids, signs FROM knowledge_sketches
    WHERE file_id = ? AND space = ? AND length(vector_ids) < ${SKETCH_VECTORS * BYTES_PER_ID}
    ORDER BY id DESC LIMIT 1`);
  const putSketch = connection.prepare(`
    INSERT INTO knowledge_sketches (id, file_id, space, vector_ids, signs) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET vector_ids = excluded.vector_ids, signs = excluded.signs`);
  const retire = connection.prepare(`
    UPDATE knowledge_sketches SET space = ''
    WHERE space <> :space AND space <> ''
      AND file_id IN (SELECT id FROM knowledge_files WHERE knowledge_base_id = :base)`);
  const stale = connection.prepare(
    "SELECT id, vector_ids, signs FROM knowledge_sketches WHERE space = '' LIMIT 1",
  );
  const deleteVectors = connection.prepare(
    "DELETE FROM knowledge_vectors WHERE id IN (SELECT value FROM json_each(?))",
  );
  const deleteSketch = connection.prepare("DELETE FROM knowledge_sketches WHERE id = ?");
  return {
    async insertVectors(file_id, space, vectors) {
      const ids: number[] = [];
      const signs: Uint8Array[] = [];
      for (const { chunk_id, vector } of vectors) {
        const { changes, lastInsertRowid } = insert.run(chunk_id, space, bytesOf(vector));
        if (changes === 0) continue;
        ids.push(Number(lastInsertRowid));
        signs.push(signsOf(vector));
      }
      if (ids.length === 0) return;
      const open = openSketch.get(file_id, space) as Sketch | undefined;
      const vector_ids = Buffer.concat([
        ...(open ? [open.vector_ids] : []),
        new Uint8Array(Uint32Array.from(ids).buffer),
      ]);
      const all_signs = Buffer.concat([...(open ? [open.signs] : []), ...signs]);
      putSketch.run(open?.id ?? null, file_id, space, vector_ids, all_signs);
    },
    async retireSpaces(knowledge_base_id, space) {
      retire.run({ base: knowledge_base_id, space });
    },
    async sweepVectors() {
      const sketch = stale.get() as Sketch | undefined;
      if (!sketch) return false;
      deleteVectors.run(JSON.stringify([...idsOf(sketch.vector_ids)]));
      deleteSketch.run(sketch.id);
      return true;
    },
  };
}
