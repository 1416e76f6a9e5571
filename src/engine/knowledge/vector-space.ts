import type { Context } from "../context.ts";
import { indexKeyOf } from "../jobs/job.ts";
import type { Writes } from "../store.ts";
import type { KnowledgeBaseRecord } from "./base.ts";
import { findEmbedder } from "./embed.ts";

/** More files than a knowledge base has. */
const ALL = 1_000_000;

/**
 * Has every file embedded that has no vectors of its base's model: those from before it had one, and those
 * of a base whose model was changed.
 */
export async function queueMissingVectors(
  ctx: Context,
  bases: readonly KnowledgeBaseRecord[],
): Promise<void> {
  for (const base of bases) {
    const embedder = await findEmbedder(ctx, base);
    if (!embedder) continue;
    const missing = await ctx.read.knowledge_files.listOutside(base.id, embedder.space, ALL);
    for (const file_id of missing) await ctx.write((tx) => queueEmbedding(ctx, tx, file_id));
  }
}

/** Once: a file that waits already is not queued again. */
export async function queueEmbedding(ctx: Context, tx: Writes, file_id: string): Promise<void> {
  const key = indexKeyOf(file_id);
  if ((await tx.jobs.countByKey(key)) > 0) return;
  const created_at = ctx.now().toISOString();
  const work = { kind: "embed", key, payload: { file_id } } as const;
  await tx.jobs.insert({ ...work, state: "queued", attempts: 0, created_at });
}

/** From the moment on when all files of a base have vectors of its model, searches use those. */
export async function settleVectorSpace(ctx: Context, knowledge_base_id: string): Promise<void> {
  const base = await ctx.read.knowledge_bases.get(knowledge_base_id);
  const embedder = base && (await findEmbedder(ctx, base));
  if (!base || !embedder || base.vector_space === embedder.space) return;
  const { space } = embedder;
  await ctx.write(async (tx) => {
    if ((await tx.knowledge_files.listOutside(base.id, space, 1)).length > 0) return;
    // One that nothing was ready in yet is still to be filled for the first time.
    const files = base.vector_space === undefined ? await tx.knowledge_files.list([base.id]) : [];
    if (base.vector_space === undefined && !files.some((file) => file.vector_space === space))
      return;
    await tx.knowledge_bases.update(base.id, { vector_space: space });
    await tx.knowledge_chunks.retireSpaces(base.id, space);
  });
}
