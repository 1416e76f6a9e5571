import type { Context } from "../context.ts";
import type { TurnChannel } from "../events/channel.ts";
import type { Event, Fact, TurnOutcome } from "../events/event.ts";
import { toEvents } from "../events/log.ts";
import { type Job, jobKeyOf } from "../jobs/job.ts";
import type { EngineError } from "../kernel/error.ts";
import type { Writes } from "../store.ts";
import { evolve, foldRun, type Run } from "./run.ts";

/** Why a turn's signal is aborted. A turn stopped by a shutdown goes on in the next process. */
export type StopReason = "cancelled" | "deadline" | "shutdown";

/** A turn at work in this process: its run, its place in the log, and who listens. */
export interface Turn {
  readonly job: Job;
  readonly run: Run;
  readonly channel: TurnChannel;
  /** Aborts with a StopReason. */
  readonly signal: AbortSignal;
  stop(reason: StopReason): void;
  /** A write failed: what this process knows of the turn is no longer what the log says. */
  isLost(): boolean;
  /** Takes in facts that are not durable yet; `commit` makes them so. */
  record(...facts: readonly Fact[]): void;
  /** Writes what was recorded in one transaction, then tells the followers. */
  commit(): Promise<void>;
  /** The last commit: outcome, session and job in one transaction. Returns the session's next job. */
  finish(outcome: TurnOutcome, error?: EngineError): Promise<Job | undefined>;
}

export function createTurn(input: {
  ctx: Context;
  job: Job;
  /** The session's whole log, this turn's first fact included. */
  events: readonly Event[];
  channel: TurnChannel;
  abort: AbortController;
}): Turn {
  const { ctx, job, events, channel, abort } = input;
  const { session_id, turn_id, agent_id } = job.payload;
  const run = foldRun(events, turn_id);
  let last_seq = events.at(-1)?.seq ?? 0;
  let recorded: Fact[] = [];
  let is_lost = false;
  channel.startAt(last_seq);

  const takeRecorded = (): Event[] => {
    const taken = toEvents(ctx, { session_id, turn_id, agent_id }, last_seq, recorded);
    last_seq += taken.length;
    recorded = [];
    return taken;
  };
  const record = (...facts: readonly Fact[]) => {
    for (const fact of facts) evolve(run, fact);
    recorded.push(...facts);
  };

  const write = async <Result>(work: (tx: Writes) => Promise<Result>): Promise<Result> => {
    try {
      return await ctx.write(work);
    } catch (error) {
      is_lost = true;
      throw error;
    }
  };

  return {
    job,
    run,
    channel,
    signal: abort.signal,
    stop: (reason) => abort.abort(reason),
    isLost: () => is_lost,
    record,
    async commit() {
      if (recorded.length === 0) return;
      const taken = takeRecorded();
      await write((tx) => tx.events.append(taken));
      channel.publish(taken);
    },
    async finish(outcome, error) {
      record(finished(run, outcome, error));
      const taken = takeRecorded();
      const next = await write(async (tx) => {
        await tx.events.append(taken);
        const status = outcome === "failed" ? "failed" : "completed";
        await tx.sessions.update(session_id, { status, updated_at: ctx.now().toISOString() });
        await tx.jobs.finish(job.id);
        return tx.jobs.nextQueued(jobKeyOf(session_id));
      });
      channel.publish(taken);
      return next;
    },
  };
}

function finished(run: Run, outcome: TurnOutcome, error: EngineError | undefined): Fact {
  const { usage, context_tokens } = run;
  const failure = error && { code: error.code, message: error.message };
  return { type: "turn_finished", payload: { outcome, usage, context_tokens, error: failure } };
}
