import { createHash, type Hash } from "node:crypto";
import { z } from "zod";
import type { Context } from "../context.ts";
import { indexKeyOf } from "../jobs/job.ts";
import { badRequest } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import { defineOperation } from "../operation.ts";
import { type KnowledgeBaseRecord, requireBase } from "./base.ts";
import {
  FileKey,
  FilesKey,
  KnowledgeFile,
  type KnowledgeFileRecord,
  requireFile,
  Upload,
} from "./file.ts";
import { baseNameOf, requireContent, requireFileType } from "./file-type.ts";

export const listFiles = defineOperation({
  name: "knowledge_files.list",
  summary: "List a knowledge base's files, with how far they are indexed",
  scope: "agents:read",
  effect: "read",
  input: FilesKey,
  output: z.array(KnowledgeFile),
  run: async ({ read }, { name }) =>
    read.knowledge_files.list([(await requireBase(read, name)).id]),
});

export const getFile = defineOperation({
  name: "knowledge_files.get",
  summary: "Read what is known of a file",
  scope: "agents:read",
  effect: "read",
  input: FileKey,
  output: KnowledgeFile,
  run: async ({ read }, { name, file_id }) =>
    requireFile(read, [(await requireBase(read, name)).id], file_id),
});

export const uploadFile = defineOperation({
  name: "knowledge_files.upload",
  summary: "Upload a file; it is indexed afterwards, and its text is kept, not its bytes",
  scope: "agents:write",
  effect: "write",
  input: FilesKey.extend(Upload.shape),
  output: KnowledgeFile,
  run: async (ctx, { name, ...upload }) =>
    receiveFile(ctx, await requireBase(ctx.read, name), upload),
});

export const deleteFile = defineOperation({
  name: "knowledge_files.delete",
  summary: "Delete a file and its indexed chunks; it is gone from search at once",
  scope: "agents:write",
  effect: "destroy",
  input: FileKey,
  output: z.object({ status: z.literal("deleted") }),
  run: (ctx, { name, file_id }) =>
    removeFile(ctx, async (tx) => requireFile(tx, [(await requireBase(tx, name)).id], file_id)),
});

/** Deletes the file that `find` finds in the same transaction. */
export async function removeFile(
  ctx: Context,
  find: (tx: Context["read"]) => Promise<KnowledgeFileRecord>,
): Promise<{ status: "deleted" }> {
  await ctx.write(async (tx) => {
    const { id } = await find(tx);
    await tx.jobs.deleteByKey(indexKeyOf(id));
    await tx.knowledge_files.delete(id);
  });
  ctx.onCommit((after) => after.services.indexing.wake(after));
  return { status: "deleted" };
}

/**
 * Stores an upload part by part, so that it is never in memory as a whole, and has it indexed. What turns
 * out to be no good, or breaks off, leaves nothing behind. Throws `bad_request`.
 */
export async function receiveFile(
  ctx: Context,
  base: KnowledgeBaseRecord,
  { file_name: given, content_type, content }: z.output<typeof Upload>,
): Promise<KnowledgeFileRecord> {
  const file_name = baseNameOf(given);
  const file_type = requireFileType(file_name, content_type);
  const created_at = ctx.now().toISOString();
  const counts = { file_size: 0, chunk_count: 0, chunks_done: 0 };
  const about = { id: ctx.newId(), knowledge_base_id: base.id, file_name, file_type, created_at };
  const file: KnowledgeFileRecord = { ...about, ...counts, status: "uploading" };
  await ctx.write((tx) => tx.knowledge_files.insert(file));
  try {
    const received = await receive(ctx, file, content);
    const indexing = { ...received, status: "indexing" } as const;
    await ctx.write(async (tx) => {
      await tx.knowledge_files.update(file.id, indexing);
      await tx.jobs.insert({
        kind: "index",
        key: indexKeyOf(file.id),
        state: "queued",
        payload: { file_id: file.id },
        attempts: 0,
        created_at,
      });
    });
    ctx.onCommit((after) => after.services.indexing.wake(after));
    return { ...file, ...indexing };
  } catch (error) {
    await ctx.write((tx) => tx.knowledge_files.delete(file.id));
    throw error;
  }
}

/** Parts of this size are stored one by one. */
const PART_BYTES = 1024 * 1024;

async function receive(
  ctx: Context,
  file: KnowledgeFileRecord,
  content: AsyncIterable<Uint8Array>,
): Promise<{ file_size: number; hash: string }> {
  const hash: Hash = createHash("sha256");
  let file_size = 0;
  // One for all parts: the collector would let dozens of megabytes of them pile up.
  const part = new Uint8Array(PART_BYTES);
  let filled = 0;
  const store = async () => {
    const bytes = part.subarray(0, filled);
    if (file_size === filled) requireContent(file.file_type, bytes);
    await ctx.write((tx) => tx.knowledge_files.appendUpload(file.id, bytes));
    filled = 0;
  };
  for await (const piece of content) {
    if (file_size + piece.byteLength > LIMITS.upload_bytes)
      throw badRequest(`file: is larger than ${LIMITS.upload_bytes} bytes`);
    hash.update(piece);
    for (let at = 0; at < piece.byteLength; ) {
      const fitting = piece.subarray(at, at + PART_BYTES - filled);
      part.set(fitting, filled);
      filled += fitting.byteLength;
      file_size += fitting.byteLength;
      at += fitting.byteLength;
      if (filled === PART_BYTES) await store();
    }
  }
  if (file_size === 0) throw badRequest("file: is empty");
  if (filled > 0) await store();
  return { file_size, hash: hash.digest("hex") };
}
