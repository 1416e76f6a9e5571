import { setImmediate as otherWork } from "node:timers/promises";
import type { Context } from "../context.ts";
import type { EmbedJob, IndexJob } from "../jobs/job.ts";
import { EngineError } from "../kernel/error.ts";
import type { KnowledgeBaseRecord } from "./base.ts";
import { type Chunk, type ChunkRecord, withHeadings } from "./chunk.ts";
import { type Embedder, findEmbedder } from "./embed.ts";
import { embedFile } from "./embed-file.ts";
import type { ExtractedChunks } from "./extraction.ts";
import { isMeaningPending, type KnowledgeFileRecord, meaningPending } from "./file.ts";
import { indexedText, textIndexOf } from "./language.ts";
import { queueEmbedding, settleVectorSpace } from "./vector-space.ts";

/** Few enough that nobody notices the transaction. */
const CHUNKS_AT_ONCE = 32;

/**
 * Takes a file from its bytes to passages that can be searched. Each step finds out what is done already,
 * so a process that takes over from a dead one goes on where that one was.
 */
export async function indexFile(ctx: Context, job: IndexJob, signal: AbortSignal): Promise<void> {
  const file = await ctx.read.knowledge_files.get(job.payload.file_id);
  if (!file) return void (await ctx.write((tx) => tx.jobs.finishHeld(job)));
  const base = await ctx.read.knowledge_bases.get(file.knowledge_base_id);
  const embedder = base && (await findEmbedder(ctx, base));
  const { file_type, file_size } = file;
  const parts = ctx.read.knowledge_files.readUpload(file.id);
  const reading = ctx.services.extract({ file_type, file_size, parts });
  const extraction = await Promise.race([reading, aborted(signal)]);
  if (!extraction) return;
  if ("problem" in extraction) return failIndexing(ctx, job, extraction.problem);
  const { chunk_count } = extraction;
  const is_later = isServedByWords(base, embedder);
  const is_complete = is_later || embedder === undefined;
  const storing = storeChunks(ctx, file, extraction, { is_complete, signal });
  const is_stored = await storing.finally(extraction.close);
  const later: Outcome = { status_message: meaningPending(0, chunk_count) };
  const outcome = is_stored && (is_later ? later : await embedNewFile(ctx, file, embedder, signal));
  if (outcome) return finish(ctx, job, file, { ...outcome, chunk_count });
  if (!signal.aborted) await ctx.write((tx) => tx.jobs.finishHeld(job));
}

/** A process that ends does not wait for a large file: the next one begins with it anew. */
const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });

/** False when the file is deleted meanwhile, or the process ends. `is_complete`: no vectors are waited for. */
async function storeChunks(
  ctx: Context,
  { id }: KnowledgeFileRecord,
  { chunk_count, read }: ExtractedChunks,
  { is_complete, signal }: { readonly is_complete: boolean; readonly signal: AbortSignal },
): Promise<boolean> {
  for (let done = await ctx.read.knowledge_chunks.count(id); done < chunk_count; ) {
    if (signal.aborted) return false;
    const chunks = await read(done, CHUNKS_AT_ONCE);
    const batch = chunks.map((chunk) => toRecord(id, chunk));
    done += batch.length;
    const is_there = await ctx.write(async (tx) => {
      if (!(await tx.knowledge_files.get(id))) return false;
      await tx.knowledge_chunks.insert(batch);
      await tx.knowledge_files.update(id, {
        chunk_count,
        ...(is_complete ? { chunks_done: done } : {}),
      });
      return true;
    });
    if (!is_there) return false;
    await otherWork();
  }
  return true;
}

type Outcome = Pick<KnowledgeFileRecord, "vector_space" | "status_message">;

/** A base that is filled for the first time is of use at once, while the embedded model is at work. */
const isServedByWords = (base?: KnowledgeBaseRecord, embedder?: Embedder): boolean =>
  embedder?.is_embedded === true && base?.vector_space === undefined;

const WORDS_ONLY = "indexed by words alone";

/**
 * What the file's record says of its vectors; false when the file is deleted meanwhile, or the process
 * ends. Throws what a configured model can't do; without the embedded one, words must do.
 */
async function embedNewFile(
  ctx: Context,
  { id }: KnowledgeFileRecord,
  embedder: Embedder | undefined,
  signal: AbortSignal,
): Promise<Outcome | false> {
  if (!embedder) return { status_message: `${WORDS_ONLY}: this build has no embedded model` };
  const progress = (chunks_done: number) => ({ chunks_done });
  try {
    const is_whole = await embedFile(ctx, id, embedder, { signal, progress });
    return is_whole && { vector_space: embedder.space };
  } catch (error) {
    if (signal.aborted) return false;
    if (!embedder.is_embedded || !(error instanceof EngineError)) throw error;
    ctx.services.log.error({ err: error, file_id: id }, `a file is ${WORDS_ONLY}`);
    return { status_message: `${WORDS_ONLY}: ${error.message}` };
  }
}

function toRecord(file_id: string, chunk: Chunk): ChunkRecord {
  const index = textIndexOf(chunk.text);
  return { ...chunk, file_id, index, indexed_text: indexedText(index, withHeadings(chunk)) };
}

async function finish(
  ctx: Context,
  job: IndexJob,
  { id, knowledge_base_id }: KnowledgeFileRecord,
  outcome: Outcome & { readonly chunk_count: number },
): Promise<void> {
  const { chunk_count, status_message, vector_space } = outcome;
  await ctx.write(async (tx) => {
    if (!(await tx.jobs.finishHeld(job))) return;
    await tx.knowledge_files.update(id, {
      status: "ready",
      status_message: chunk_count === 0 ? "it holds no text" : status_message,
      chunk_count,
      chunks_done: chunk_count,
      indexed_at: ctx.now().toISOString(),
      vector_space,
    });
    await tx.knowledge_files.deleteUpload(id);
    if (isMeaningPending(outcome)) await queueEmbedding(ctx, tx, id);
  });
  await settle(ctx, id, knowledge_base_id);
}

/** The base's model may have been changed while the file was at work. */
async function settle(ctx: Context, file_id: string, knowledge_base_id: string): Promise<void> {
  const base = await ctx.read.knowledge_bases.get(knowledge_base_id);
  const embedder = base && (await findEmbedder(ctx, base));
  const file = await ctx.read.knowledge_files.get(file_id);
  const is_outdated = file?.vector_space !== undefined && file.vector_space !== embedder?.space;
  if (embedder && is_outdated) return ctx.write((tx) => queueEmbedding(ctx, tx, file_id));
  return settleVectorSpace(ctx, knowledge_base_id);
}

/**
 * Embeds the passages of a file that is ready with the model that its base has now. Until all of them are
 * done the file is found as before, also when the model fails. Gives way when `isInterrupted`.
 */
export async function embedAnew(
  ctx: Context,
  job: EmbedJob,
  signal: AbortSignal,
  isInterrupted: () => Promise<boolean>,
): Promise<void> {
  const file = await ctx.read.knowledge_files.get(job.payload.file_id);
  const base = file && (await ctx.read.knowledge_bases.get(file.knowledge_base_id));
  const embedder = base && (await findEmbedder(ctx, base));
  if (!embedder || file.status !== "ready")
    return void (await ctx.write((tx) => tx.jobs.finishHeld(job)));
  const { id, vector_space, chunk_count } = file;
  const progress = (passages_done: number) =>
    vector_space === undefined
      ? { status_message: meaningPending(passages_done, chunk_count) }
      : {};
  const is_whole = await embedFile(ctx, id, embedder, { signal, isInterrupted, progress });
  if (signal.aborted) return;
  if (!is_whole) return ctx.write((tx) => tx.jobs.putBack(job.id));
  const done = { vector_space: embedder.space, status_message: undefined };
  await ctx.write(async (tx) => {
    if (await tx.jobs.finishHeld(job)) await tx.knowledge_files.update(file.id, done);
  });
  await settle(ctx, file.id, file.knowledge_base_id);
}

/** The end of a file that can't be indexed; its bytes are of no more use. */
export async function failIndexing(
  ctx: Context,
  job: IndexJob,
  status_message: string,
): Promise<void> {
  const { file_id } = job.payload;
  await ctx.write(async (tx) => {
    if (!(await tx.jobs.finishHeld(job))) return;
    await tx.knowledge_files.update(file_id, { status: "error", status_message });
    await tx.knowledge_files.deleteUpload(file_id);
  });
}
