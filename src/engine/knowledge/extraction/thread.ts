import { createWordPieces } from "../../embedding/word-piece.ts";
import type { Chunk } from "../chunk.ts";
import { chunkText } from "../chunker.ts";
import { extractText } from "./extract.ts";

/** The next bytes of the one file that this thread is there for. */
export interface FilePart {
  readonly file_size: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface FileToExtract {
  readonly file_type: string;
  /** The embedded model's: passages are measured in its word pieces; without it, sizes are estimated. */
  readonly vocabulary?: string | undefined;
}

export interface ChunkRange {
  readonly seq: number;
  readonly limit: number;
}

let content: Uint8Array<ArrayBuffer> = new Uint8Array();
let filled = 0;
let chunks: readonly Chunk[] = [];

export function receivePart({ file_size, bytes }: FilePart): void {
  if (filled === 0) content = new Uint8Array(file_size);
  content.set(bytes, filled);
  filled += bytes.byteLength;
  // Freed at once; the collector would let dozens of megabytes of them pile up.
  bytes.buffer.transfer(0);
}

/** Takes the passages out of what was received, and keeps them here. */
export async function extractFile({
  file_type,
  vocabulary,
}: FileToExtract): Promise<{ chunk_count: number } | { problem: string }> {
  const extracted = await extractText(file_type, content);
  content = new Uint8Array();
  if ("problem" in extracted) return extracted;
  const count = vocabulary === undefined ? undefined : createWordPieces(vocabulary).count;
  chunks = chunkText(extracted, count);
  return { chunk_count: chunks.length };
}

export const readChunks = ({ seq, limit }: ChunkRange): readonly Chunk[] =>
  chunks.slice(seq, seq + limit);
