import type { Chunk } from "./chunk.ts";

/** A file as it was uploaded. */
export interface FileContent {
  readonly file_type: string;
  /** Bytes, of all parts. */
  readonly file_size: number;
  /** One after the other; each is given away. */
  readonly parts: AsyncIterable<Uint8Array<ArrayBuffer>>;
}

/** What a file came to: its passages, or in one sentence why it can't be read. */
export type Extraction = ExtractedChunks | { readonly problem: string };

/** Passages that are asked for in batches, as all those of a large file need not be here at once. */
export interface ExtractedChunks {
  readonly chunk_count: number;
  /** In order, from the passage `seq` on; at most `limit`. */
  read(seq: number, limit: number): Promise<readonly Chunk[]>;
  /** Frees what the passages are kept in. */
  close(): Promise<void>;
}

/** Takes the passages out of a file, within limits of memory and time. */
export type ExtractChunks = (file: FileContent) => Promise<Extraction>;
