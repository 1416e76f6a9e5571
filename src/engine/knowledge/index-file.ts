import { setImmediate as otherWork } from "node:timers/promises";
import type { Context } from "../context.ts";
import type { IndexJob } from "../jobs/job.ts";
import type { ModelRecord } from "../models/model.ts";
import type { Chunk, ChunkRecord } from "./chunk.ts";
import { embedTexts, TEXTS_AT_ONCE, vectorSpaceOf } from "./embed.ts";
import type { KnowledgeFileRecord } from "./file.ts";
import { indexedText, textIndexOf } from "./language.ts";

/** Few enough that nobody notices the transaction. */
const CHUNKS_AT_ONCE = 32;

/**
 * Takes a file from its bytes to passages that can be searched. Each step finds out what is done already,
 * so a process that takes over from a dead one goes on where that one was.
 */
export async function indexFile(ctx: Context, job: IndexJob, signal: AbortSignal): Promise<void> {
  const file = await ctx.read.knowledge_files.get(job.payload.file_id);
  if (!file) return void (await ctx.write((tx) => tx.jobs.finish(job.id)));
  const bytes = await ctx.read.knowledge_files.readUpload(file.id);
  const reading = ctx.services.extract({ file_type: file.file_type, bytes });
  const extraction = await Promise.race([reading, aborted(signal)]);
  if (!extraction || signal.aborted) return;
  if ("problem" in extraction) return failIndexing(ctx, job, extraction.problem);
  const { chunks } = extraction;
  const model = await findModel(ctx, file.knowledge_base_id);
  const is_whole =
    (await storeChunks(ctx, file, model, chunks, signal)) &&
    (await storeVectors(ctx, file, model, signal));
  if (is_whole) return finish(ctx, job, chunks.length);
  if (!signal.aborted) await ctx.write((tx) => tx.jobs.finish(job.id));
}

/** A process that ends does not wait for a large file: the next one begins with it anew. */
const aborted = (signal: AbortSignal): Promise<undefined> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });

/** False when the file is deleted meanwhile, or the process ends. */
async function storeChunks(
  ctx: Context,
  { id }: KnowledgeFileRecord,
  model: ModelRecord | undefined,
  chunks: readonly Chunk[],
  signal: AbortSignal,
): Promise<boolean> {
  const chunk_count = chunks.length;
  for (let done = await ctx.read.knowledge_chunks.count(id); done < chunk_count; ) {
    if (signal.aborted) return false;
    const batch = chunks.slice(done, done + CHUNKS_AT_ONCE).map((chunk) => toRecord(id, chunk));
    done += batch.length;
    const is_there = await ctx.write(async (tx) => {
      if (!(await tx.knowledge_files.get(id))) return false;
      await tx.knowledge_chunks.insert(batch);
      await tx.knowledge_files.update(id, { chunk_count, ...(model ? {} : { chunks_done: done }) });
      return true;
    });
    if (!is_there) return false;
    await otherWork();
  }
  return true;
}

/** False when the file is deleted meanwhile, or the process ends. Throws what the model can't do. */
async function storeVectors(
  ctx: Context,
  { id }: KnowledgeFileRecord,
  model: ModelRecord | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  if (!model) return true;
  const space = vectorSpaceOf(model);
  while (!signal.aborted) {
    const pending = await ctx.read.knowledge_chunks.listWithoutVector(id, space, TEXTS_AT_ONCE);
    if (pending.length === 0) return true;
    const vectors = await embedTexts(ctx.services, model, pending.map(withHeadings), signal);
    const is_there = await ctx.write(async (tx) => {
      if (!(await tx.knowledge_files.get(id))) return false;
      const found = pending.flatMap(({ id: chunk_id }, index) => {
        const vector = vectors[index];
        return vector ? [{ chunk_id, vector }] : [];
      });
      await tx.knowledge_chunks.insertVectors(id, space, found);
      await tx.knowledge_files.update(id, { chunks_done: (pending.at(-1)?.seq ?? 0) + 1 });
      return true;
    });
    if (!is_there) return false;
  }
  return false;
}

async function findModel({ read }: Context, knowledge_base_id: string) {
  const base = await read.knowledge_bases.get(knowledge_base_id);
  const model_id = base?.embedding_model_id;
  return model_id === undefined ? undefined : read.models.get(model_id);
}

/** What a passage is about is often said above it only. */
const withHeadings = ({ headings, text }: Chunk): string =>
  [...headings.filter(Boolean), text].join("\n");

function toRecord(file_id: string, chunk: Chunk): ChunkRecord {
  const index = textIndexOf(chunk.text);
  return { ...chunk, file_id, index, indexed_text: indexedText(index, withHeadings(chunk)) };
}

async function finish(ctx: Context, job: IndexJob, chunk_count: number): Promise<void> {
  const { file_id } = job.payload;
  await ctx.write(async (tx) => {
    await tx.knowledge_files.update(file_id, {
      status: "ready",
      status_message: chunk_count === 0 ? "it holds no text" : undefined,
      chunk_count,
      chunks_done: chunk_count,
      indexed_at: ctx.now().toISOString(),
    });
    await tx.knowledge_files.deleteUpload(file_id);
    await tx.jobs.finish(job.id);
  });
}

/** The end of a file that can't be indexed; its bytes are of no more use. */
export async function failIndexing(
  ctx: Context,
  job: IndexJob,
  status_message: string,
): Promise<void> {
  const { file_id } = job.payload;
  await ctx.write(async (tx) => {
    await tx.knowledge_files.update(file_id, { status: "error", status_message });
    await tx.knowledge_files.deleteUpload(file_id);
    await tx.jobs.finish(job.id);
  });
}
