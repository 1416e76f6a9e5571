import { setImmediate as otherWork } from "node:timers/promises";
import type { Context } from "../context.ts";
import type { IndexJob, Lease } from "../jobs/job.ts";
import { EngineError } from "../kernel/error.ts";
import { failIndexing, indexFile } from "./index-file.ts";

/** This process's part in making files searchable: one file after the other, each under a lease. */
export interface Indexing {
  /** Looks for files that wait, unless it is at work already. */
  wake(ctx: Context): void;
  /** Files are being indexed, or wait for it. */
  isBusy(): boolean;
  /** The jobs whose leases this process must keep. */
  jobIds(): number[];
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
  let current: IndexJob | undefined;

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
    }
  }

  async function claim(ctx: Context): Promise<IndexJob | undefined> {
    if (abort.signal.aborted) return undefined;
    const now_ms = ctx.now().getTime();
    const lease: Lease = { owner, until_ms: now_ms + lease_ms };
    const [waiting] = await ctx.read.jobs.listClaimable(now_ms, 1, "index");
    if (!waiting) return undefined;
    return ctx.write((tx) => tx.jobs.start<IndexJob>(waiting.id, lease, now_ms));
  }

  return {
    wake(ctx) {
      is_woken = true;
      running ??= work(ctx)
        .catch((error: unknown) => ctx.services.log.error({ err: error }, "indexing stopped"))
        .finally(() => {
          current = undefined;
          running = undefined;
        });
    },
    isBusy: () => running !== undefined,
    jobIds: () => (current ? [current.id] : []),
    async stop() {
      abort.abort();
      await running;
    },
  };
}

/** A failure that is the file's ends as its status; what the store could not take is tried again later. */
async function attempt(ctx: Context, job: IndexJob, signal: AbortSignal): Promise<void> {
  const { file_id } = job.payload;
  if (job.attempts > ATTEMPTS_MAX) {
    await failIndexing(ctx, job, "indexing was given up: the server died each time it tried");
    return;
  }
  try {
    await indexFile(ctx, job, signal);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof EngineError))
      ctx.services.log.error({ err: error, file_id }, "a file could not be indexed");
    const reason = error instanceof EngineError ? error.message : "an internal error occurred";
    await failIndexing(ctx, job, reason);
  }
}

/** Takes out what is left of deleted files, in steps that hold nobody up. */
async function sweep(ctx: Context, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const went_on = await ctx.write((tx) => tx.knowledge_chunks.sweep(SWEPT_AT_ONCE));
    if (!went_on) return;
    await otherWork();
  }
}
