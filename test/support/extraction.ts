import type { Chunk } from "#engine/knowledge/chunk.ts";
import { type CountTokens, chunkText } from "#engine/knowledge/chunker.ts";
import { extractText } from "#engine/knowledge/extraction/extract.ts";
import type { ExtractChunks } from "#engine/knowledge/extraction.ts";

/** The passages of a file, or why it can't be read. */
export async function chunksIn(
  file_type: string,
  bytes: Uint8Array,
  count?: CountTokens,
): Promise<{ readonly chunks: readonly Chunk[] } | { readonly problem: string }> {
  const extracted = await extractText(file_type, Uint8Array.from(bytes));
  return "problem" in extracted ? extracted : { chunks: chunkText(extracted, count) };
}

/** Reads files without a thread. */
export const extractHere: ExtractChunks = async ({ file_type, parts }) => {
  const found = await chunksIn(file_type, Buffer.concat(await Array.fromAsync(parts)));
  if ("problem" in found) return found;
  const { chunks } = found;
  return {
    chunk_count: chunks.length,
    read: async (seq, limit) => chunks.slice(seq, seq + limit),
    close: async () => undefined,
  };
};
