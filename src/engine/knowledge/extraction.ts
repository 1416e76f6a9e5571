import type { Chunk } from "./chunk.ts";

/** What a file came to: its passages, or in one sentence why it can't be read. */
export type Extraction = { readonly chunks: readonly Chunk[] } | { readonly problem: string };

export interface FileContent {
  readonly file_type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Takes the passages out of a file, within limits of memory and time. The bytes are given away. */
export type ExtractChunks = (file: FileContent) => Promise<Extraction>;
