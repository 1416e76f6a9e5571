import { and, asc, count, eq, gt, inArray, lt, sql } from "drizzle-orm";
import type { KnowledgeFileWrites } from "#engine/knowledge/file.ts";
import type { Db } from "./database.ts";
import { knowledgeFiles, knowledgeUploads } from "./knowledge-tables.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert, rowUpdate } from "./statements.ts";

export function knowledgeFileRepository(db: Db): KnowledgeFileWrites {
  const insert = rowInsert(db, knowledgeFiles);
  const update = rowUpdate(db, knowledgeFiles);
  const nextPart = db
    .select({ id: knowledgeUploads.id, bytes: knowledgeUploads.bytes })
    .from(knowledgeUploads)
    .where(
      and(
        eq(knowledgeUploads.file_id, sql.placeholder("file_id")),
        gt(knowledgeUploads.id, sql.placeholder("after")),
      ),
    )
    .orderBy(asc(knowledgeUploads.id))
    .limit(1)
    .prepare();
  return {
    list: async (knowledge_base_ids) =>
      db
        .select()
        .from(knowledgeFiles)
        .where(inArray(knowledgeFiles.knowledge_base_id, [...knowledge_base_ids]))
        .orderBy(asc(knowledgeFiles.created_at), asc(sql`rowid`))
        .all()
        .map(present),
    get: async (id) =>
      maybe(db.select().from(knowledgeFiles).where(eq(knowledgeFiles.id, id)).get()),
    count: async (knowledge_base_id) =>
      db
        .select({ total: count() })
        .from(knowledgeFiles)
        .where(eq(knowledgeFiles.knowledge_base_id, knowledge_base_id))
        .get()?.total ?? 0,
    listOutside: async (knowledge_base_id, space, limit) =>
      db
        .select({ id: knowledgeFiles.id })
        .from(knowledgeFiles)
        .where(
          and(
            eq(knowledgeFiles.knowledge_base_id, knowledge_base_id),
            eq(knowledgeFiles.status, "ready"),
            sql`${knowledgeFiles.vector_space} IS NOT ${space}`,
          ),
        )
        .orderBy(asc(knowledgeFiles.created_at))
        .limit(limit)
        .all()
        .map(({ id }) => id),
    async *readUpload(file_id) {
      // One statement a part: between them nothing is kept open, and the reader may do other work.
      for (let part = nextPart.get({ file_id, after: 0 }); part; ) {
        yield part.bytes as Uint8Array<ArrayBuffer>;
        part = nextPart.get({ file_id, after: part.id });
      }
    },
    async insert(file) {
      insert(file);
    },
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      db.delete(knowledgeFiles).where(eq(knowledgeFiles.id, id)).run();
    },
    async appendUpload(file_id, bytes) {
      db.insert(knowledgeUploads)
        .values({ file_id, bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) })
        .run();
    },
    async deleteUpload(file_id) {
      db.delete(knowledgeUploads).where(eq(knowledgeUploads.file_id, file_id)).run();
    },
    async deleteUnfinished(before) {
      db.delete(knowledgeFiles)
        .where(and(eq(knowledgeFiles.status, "uploading"), lt(knowledgeFiles.created_at, before)))
        .run();
    },
  };
}
