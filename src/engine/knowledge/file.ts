import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { Name, Timestamp, Uuid } from "../kernel/fields.ts";

const FileStatus = z.enum(["uploading", "indexing", "ready", "error"]);
export type FileStatus = z.infer<typeof FileStatus>;

export const FilesKey = z.object({ name: Name });
export const FileKey = FilesKey.extend({ file_id: z.string().min(1) });

/** A file on its way in. */
export const Upload = z.object({
  file_name: z.string(),
  content_type: z.string().optional(),
  content: z.custom<AsyncIterable<Uint8Array>>(
    (value) => typeof value === "object" && value !== null && Symbol.asyncIterator in value,
  ),
});

/** A document whose text is kept and can be searched; its bytes are not kept (contract 2.13). */
export const KnowledgeFile = z.object({
  id: Uuid,
  file_name: z.string(),
  /** The extension, without the dot. */
  file_type: z.string(),
  /** Bytes. */
  file_size: z.int(),
  /** SHA-256 of the bytes, in hexadecimal. */
  hash: z.string().optional(),
  status: FileStatus,
  /** Why it failed, or what is worth knowing of how it is indexed. */
  status_message: z.string().optional(),
  chunk_count: z.int(),
  /** Chunks that are indexed, of `chunk_count`. */
  chunks_done: z.int(),
  created_at: Timestamp,
  indexed_at: Timestamp.optional(),
});

export interface KnowledgeFileRecord {
  readonly id: string;
  readonly knowledge_base_id: string;
  readonly file_name: string;
  readonly file_type: string;
  readonly file_size: number;
  readonly hash?: string | undefined;
  readonly status: FileStatus;
  readonly status_message?: string | undefined;
  readonly chunk_count: number;
  readonly chunks_done: number;
  readonly created_at: string;
  readonly indexed_at?: string | undefined;
  /** Where all of its passages have vectors; of a file that is ready. */
  readonly vector_space?: string | undefined;
}

/** What a file's `status_message` says until it is found by what it means, too. */
export const meaningPending = (done: number, of: number): string =>
  `found by its words; its meaning is still being indexed: ${done} of ${of} passages`;

const MEANING_PENDING = new RegExp(`^${meaningPending(0, 0).replaceAll("0", "(\\d+)")}$`);

interface Told {
  readonly status_message?: string | undefined;
}

/** How many passages are found by what they mean; undefined when nothing of that is waited for. */
export function meaningProgress({ status_message = "" }: Told) {
  const [, done, of] = MEANING_PENDING.exec(status_message) ?? [];
  return of === undefined ? undefined : { done: Number(done), of: Number(of) };
}

export const isMeaningPending = (file: Told): boolean => meaningProgress(file) !== undefined;

export interface KnowledgeFileReads {
  /** Those of the knowledge bases, oldest first. */
  list(knowledge_base_ids: readonly string[]): Promise<KnowledgeFileRecord[]>;
  get(id: string): Promise<KnowledgeFileRecord | undefined>;
  count(knowledge_base_id: string): Promise<number>;
  /** The ids of those that are ready, but have no vectors in this space; oldest first. */
  listOutside(knowledge_base_id: string, space: string, limit: number): Promise<string[]>;
  /** What was uploaded so far, part by part; nothing once the text is taken out. */
  readUpload(id: string): AsyncIterable<Uint8Array<ArrayBuffer>>;
}

export interface KnowledgeFileWrites extends KnowledgeFileReads {
  insert(file: KnowledgeFileRecord): Promise<void>;
  update(id: string, fields: Partial<KnowledgeFileRecord>): Promise<void>;
  /** It is gone from every search at once; what is left of it is swept up later. */
  delete(id: string): Promise<void>;
  appendUpload(id: string, bytes: Uint8Array): Promise<void>;
  deleteUpload(id: string): Promise<void>;
  /** Those whose upload began before then and never came to its end. */
  deleteUnfinished(before: string): Promise<void>;
}

export async function requireFile(
  { knowledge_files }: { readonly knowledge_files: KnowledgeFileReads },
  knowledge_base_ids: readonly string[],
  file_id: string,
): Promise<KnowledgeFileRecord> {
  const file = await knowledge_files.get(file_id);
  if (!file || !knowledge_base_ids.includes(file.knowledge_base_id))
    throw notFound("file", file_id);
  return file;
}
