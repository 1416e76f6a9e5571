import { setTimeout as delay } from "node:timers/promises";
import type { Context } from "../context.ts";
import { createTurnChannel, type TurnChannel } from "../events/channel.ts";
import type { Event } from "../events/event.ts";
import { appendFacts } from "../events/log.ts";
import type { SessionStreams } from "../events/session-streams.ts";
import type { Job } from "../jobs/job.ts";
import { EngineError } from "../kernel/error.ts";
import { performTurn, recoverCalls } from "./perform-turn.ts";
import { createTurn, type StopReason } from "./turn.ts";

/** A node that is silent for so long is taken for dead, and its turns for orphans. */
export const LEASE_MS = 15_000;

/** A turn that was begun this often takes the process down with it. */
const ATTEMPTS_MAX = 5;

interface LiveTurn {
  readonly job: Job;
  readonly stop: (reason: StopReason) => void;
  readonly ended: Promise<void>;
}

/** The turns this process works on. What must survive it is in the store; this is only what runs. */
export interface LiveTurns {
  readonly owner: string;
  /**
   * The stream of a turn that is about to be accepted. It is there before the job is, as another turn's
   * end may start the job at once.
   */
  expect(turn_id: string, session_id: string): TurnChannel;
  /** The turn was refused. */
  forget(turn_id: string): void;
  /** Runs a job this node holds, detached from whoever asked for it. */
  run(ctx: Context, job: Job, events: readonly Event[]): void;
  /** Takes up a queued job, or one whose node is gone. */
  takeUp(ctx: Context, job: Job): Promise<void>;
  /** Stops the session's turn; resolves when its end is durable. False when none runs here. */
  cancel(session_id: string): Promise<boolean>;
  /** The jobs whose leases this process must keep. */
  jobIds(): number[];
  /** Waits for the running turns, then leaves the rest to the next process. */
  drain(ctx: Context, patience_ms: number): Promise<void>;
}

export function createLiveTurns(owner: string, streams: SessionStreams): LiveTurns {
  const live = new Map<string, LiveTurn>();
  const expected = new Map<string, TurnChannel>();
  let draining = false;

  const open = (turn_id: string, session_id: string): TurnChannel =>
    createTurnChannel(turn_id, (frame) => streams.send(session_id, frame));

  async function work(
    ctx: Context,
    job: Job,
    channel: TurnChannel,
    events: readonly Event[],
    abort: AbortController,
  ): Promise<Job | undefined> {
    try {
      const turn = createTurn({ ctx, job, events, channel, abort });
      if (job.attempts > ATTEMPTS_MAX) return await turn.finish("failed", keepsFailing());
      if (job.attempts > 1) recoverCalls(ctx, turn, events);
      return await performTurn(ctx, turn);
    } catch (error) {
      const shutdown = abort.signal.reason === "shutdown";
      if (!shutdown) ctx.services.log.error({ err: error, job_id: job.id }, "turn lost its store");
      channel.fail(shutdown ? stopping() : storeFailed());
      return undefined;
    }
  }

  const turns: LiveTurns = {
    owner,
    expect(turn_id, session_id) {
      const channel = open(turn_id, session_id);
      expected.set(turn_id, channel);
      return channel;
    },
    forget: (turn_id) => void expected.delete(turn_id),
    run(ctx, job, events) {
      const { turn_id, session_id } = job.payload;
      const channel = expected.get(turn_id) ?? open(turn_id, session_id);
      expected.delete(turn_id);
      const abort = new AbortController();
      const stop = (reason: StopReason) => abort.abort(reason);
      const ended = work(ctx, job, channel, events, abort).then(async (next) => {
        live.delete(turn_id);
        if (next) await turns.takeUp(ctx, next);
      });
      live.set(turn_id, { job, stop, ended: ended.catch(logged(ctx, job)) });
    },
    async takeUp(ctx, job) {
      if (draining) return;
      const started = await startJob(ctx, job, owner);
      if (started) turns.run(ctx, started, await ctx.read.events.list(job.payload.session_id));
    },
    async cancel(session_id) {
      const turn = [...live.values()].find(({ job }) => job.payload.session_id === session_id);
      turn?.stop("cancelled");
      await turn?.ended;
      return turn !== undefined;
    },
    jobIds: () => [...live.values()].map(({ job }) => job.id),
    async drain(ctx, patience_ms) {
      draining = true;
      const ended = Promise.all([...live.values()].map((turn) => turn.ended));
      await Promise.race([ended, delay(patience_ms, undefined, { ref: false })]);
      for (const turn of live.values()) turn.stop("shutdown");
      for (const channel of expected.values()) channel.fail(stopping());
      await ended;
      await ctx.write((tx) => tx.jobs.release(owner));
    },
  };
  return turns;
}

/** Makes a job this node's; a queued message enters the log now that it is its turn. */
async function startJob(ctx: Context, job: Job, owner: string): Promise<Job | undefined> {
  const { session_id, turn_id, agent_id, message } = job.payload;
  const now_ms = ctx.now().getTime();
  return ctx.write(async (tx) => {
    const started = await tx.jobs.start(job.id, { owner, until_ms: now_ms + LEASE_MS }, now_ms);
    if (started?.attempts === 1 && message !== undefined) {
      const fact = { type: "user_message", payload: { content: message } } as const;
      await appendFacts(ctx, tx, { session_id, turn_id, agent_id }, [fact]);
      await tx.sessions.update(session_id, { status: "active" });
    }
    return started;
  });
}

const logged = (ctx: Context, job: Job) => (error: unknown) =>
  ctx.services.log.error({ err: error, job_id: job.id }, "turn could not be handed on");

const keepsFailing = () =>
  new EngineError("internal", "the turn was given up: the server died each time it worked on it");

const stopping = () =>
  new EngineError(
    "unavailable",
    "the server is stopping; it goes on with this turn when it starts again",
  );

const storeFailed = () =>
  new EngineError("internal", "the turn could not be stored; what was acknowledged before is kept");
