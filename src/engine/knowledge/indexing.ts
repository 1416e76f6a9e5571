import { setImmediate as otherWork } from "node:timers/promises";
import type { Context } from "../context.ts";
import type { EmbedJob, IndexJob, Lease } from "../jobs/job.ts";
import { EngineError } from "../kernel/error.ts";
import { embedAnew, failIndexing, indexFile } from "./index-file.ts";
import { queueMissingVectors, settleVectorSpace } from "./vector-space.ts";

/** This process's part in making files searchable: one file after the other, each under a lease. */
export interface Indexing {
  /** Looks for files that wait, unless it is at work already. */
  wake(ctx: Context): void;
  /** Files are being indexed, or wait for it. */
  isBusy(): boolean;
  /** Ends after the batch at hand; the next process goes on with it. */
  stop(): Promise<void>;
}

/** A file at which so many processes died takes them down with it. */
const ATTEMPTS_MAX = 10;
const SWEPT_AT_ONCE = 200;

export function createIndexing(owner: string, lease_ms: number): Indexing {
  const abort = new AbortController();
  let running: Promise<void> | undefined;
  let is_woken = false;
  let current: IndexJob | EmbedJob | undefined;

  async function keepLease(ctx: Context): Promise<void> {
    if (!current) return;
    const { id } = current;
    const lease = { owner, until_ms: ctx.now().getTime() + lease_ms };
    await ctx.write((tx) => tx.jobs.extend([id], lease));
  }

  async function work(ctx: Context): Promise<void> {
    while (is_woken && !abort.signal.aborted) {
      is_woken = false;
      await sweep(ctx, abort.signal);
      for (let job = await claim(ctx); job; job = await claim(ctx)) {
        current = job;
        await attempt(ctx, job, abort.signal);
        current = undefined;
        await sweep(ctx, abort.signal);
      }
      await settleBases(ctx);
      await sweep(ctx, abort.signal);
    }
  }

  async function claim(ctx: Context): Promise<IndexJob | EmbedJob | undefined> {
    if (abort.signal.aborted) return undefined;
    const now_ms = ctx.now().getTime();
    const lease: Lease = { owner, until_ms: now_ms + lease_ms };
    const waiting = await nextJob(ctx);
    if (!waiting) return undefined;
    return ctx.write((tx) => tx.jobs.start<IndexJob | EmbedJob>(waiting.id, lease, now_ms));
  }

  async function run(ctx: Context): Promise<void> {
    const failed = (error: unknown) => ctx.services.log.error({ err: error }, "indexing stopped");
    const keeper = setInterval(() => void keepLease(ctx).catch(failed), lease_ms / 3);
    await work(ctx).catch(failed);
    clearInterval(keeper);
    current = undefined;
    // Somebody may have woken it in its last moment.
    running = is_woken && !abort.signal.aborted ? run(ctx) : undefined;
  }

  return {
    wake(ctx) {
      is_woken = true;
      running ??= run(ctx);
    },
    isBusy: () => running !== undefined,
    async stop() {
      abort.abort();
      await running;
    },
  };
}

/** Takes up what an earlier process left, and what this one's models ask for. */
export async function startIndexing(ctx: Context): Promise<void> {
  if (!ctx.services.embedded_model)
    ctx.services.log.warn({}, "this build has no embedded model: it searches by words alone");
  await queueMissingVectors(ctx, await ctx.read.knowledge_bases.list());
  ctx.services.indexing.wake(ctx);
}

/** New files first: what is embedded anew can be searched meanwhile. */
async function nextJob(ctx: Context): Promise<IndexJob | EmbedJob | undefined> {
  const now_ms = ctx.now().getTime();
  const [upload] = await ctx.read.jobs.listClaimable(now_ms, 1, "index");
  return upload ?? (await ctx.read.jobs.listClaimable(now_ms, 1, "embed"))[0];
}

/** A failure that is the file's ends as its status; what the store could not take is tried again later. */
async function attempt(ctx: Context, job: IndexJob | EmbedJob, signal: AbortSignal): Promise<void> {
  const { file_id } = job.payload;
  if (job.attempts > ATTEMPTS_MAX) {
    const reason = "indexing was given up: the server died each time it tried";
    await fail(ctx, job, reason);
    return;
  }
  try {
    if (job.kind === "index") await indexFile(ctx, job, signal);
    else await embedAnew(ctx, job, signal, async () => (await nextJob(ctx))?.kind === "index");
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof EngineError) || job.kind === "embed")
      ctx.services.log.error({ err: error, file_id }, "a file could not be indexed");
    const reason = error instanceof EngineError ? error.message : "an internal error occurred";
    await fail(ctx, job, reason);
  }
}

/** A file that was ready stays so; the next start tries again. */
const fail = (ctx: Context, job: IndexJob | EmbedJob, reason: string): Promise<void> =>
  job.kind === "index"
    ? failIndexing(ctx, job, reason)
    : ctx.write(async (tx) => {
        if (!(await tx.jobs.finishHeld(job))) return;
        const status_message = `its base's embedding model failed, it is found as before: ${reason}`;
        await tx.knowledge_files.update(job.payload.file_id, { status_message });
      });

/** Also those whose last file with other vectors was deleted. */
async function settleBases(ctx: Context): Promise<void> {
  for (const { id } of await ctx.read.knowledge_bases.list()) await settleVectorSpace(ctx, id);
}

/** Takes out what is left of deleted files and replaced vectors, in steps that hold nobody up. */
async function sweep(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const went_on = await ctx.write(
      async (tx) =>
        (await tx.knowledge_chunks.sweep(SWEPT_AT_ONCE)) ||
        (await tx.knowledge_chunks.sweepVectors()),
    );
    if (!went_on) return;
    await otherWork();
  }
}
