import type { Context } from "../context.ts";
import { withHeadings } from "./chunk.ts";
import { type Embedder, TEXTS_AT_ONCE } from "./embed.ts";
import type { KnowledgeFileRecord } from "./file.ts";

interface EmbedOptions {
  readonly signal: AbortSignal;
  /** Whether the work is to be left for later; asked after each batch. */
  readonly isInterrupted?: () => Promise<boolean>;
  /** What of the file changes with a batch, up to the passage that was done last. */
  readonly progress?: (passages_done: number) => Partial<KnowledgeFileRecord>;
}

/**
 * Gives a vector to each passage of a file that has none of this model's yet, in batches. True when none is
 * left; false when the file is deleted meanwhile, or the work stops. Throws what the model can't do.
 */
export async function embedFile(
  ctx: Context,
  file_id: string,
  embedder: Embedder,
  { signal, isInterrupted = async () => false, progress = () => ({}) }: EmbedOptions,
): Promise<boolean> {
  const { space } = embedder;
  while (!signal.aborted) {
    const pending = await ctx.read.knowledge_chunks.listWithoutVector(
      file_id,
      space,
      TEXTS_AT_ONCE,
    );
    if (pending.length === 0) return true;
    const vectors = await embedder.embedPassages(pending.map(withHeadings), signal);
    const found = pending.flatMap(({ id: chunk_id }, index) => {
      const vector = vectors[index];
      return vector ? [{ chunk_id, vector }] : [];
    });
    const is_there = await ctx.write(async (tx) => {
      if (!(await tx.knowledge_files.get(file_id))) return false;
      await tx.knowledge_chunks.insertVectors(file_id, space, found);
      await tx.knowledge_files.update(file_id, progress((pending.at(-1)?.seq ?? 0) + 1));
      return true;
    });
    if (!is_there || (await isInterrupted())) return false;
  }
  return false;
}
