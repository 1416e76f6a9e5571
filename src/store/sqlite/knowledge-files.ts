import { and, asc, count, eq, inArray, lt, sql } from "drizzle-orm";
import type { KnowledgeFileWrites } from "#engine/knowledge/file.ts";
import type { Db } from "./database.ts";
import { knowledgeFiles, knowledgeUploads } from "./knowledge-tables.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert, rowUpdate } from "./statements.ts";

export function knowledgeFileRepository(db: Db): KnowledgeFileWrites {
  const insert = rowInsert(db, knowledgeFiles);
  const update = rowUpdate(db, knowledgeFiles);
  // In SQL as it is: a large file must be in memory once, in one piece that can be handed to a thread.
  const uploadSize = db.$client
    .prepare("SELECT ifnull(sum(length(bytes)), 0) FROM knowledge_uploads WHERE file_id = ?")
    .pluck();
  const uploadParts = db.$client
    .prepare("SELECT bytes FROM knowledge_uploads WHERE file_id = ? ORDER BY id")
    .pluck();
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
    readUpload: async (file_id) => {
      const bytes = new Uint8Array(Number(uploadSize.get(file_id)));
      let at = 0;
      for (const part of uploadParts.iterate(file_id) as Iterable<Buffer>) {
        bytes.set(part, at);
        at += part.byteLength;
      }
      return bytes;
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
        .values({ file_id, bytes: Buffer.from(bytes) })
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
