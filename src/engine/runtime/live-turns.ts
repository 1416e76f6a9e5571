import { setTimeout as delay } from "node:timers/promises";
import type { Context } from "../context.ts";
import { createTurnChannel, type TurnChannel } from "../events/channel.ts";
import type { Event, GateAnswer } from "../events/event.ts";
import type { SessionStreams } from "../events/session-streams.ts";
import type { Job, TurnJob } from "../jobs/job.ts";
import { EngineError } from "../kernel/error.ts";
import { enterLog } from "./enter-log.ts";
import { endTurn, noteRecovery, performTurn } from "./perform-turn.ts";
import { createTurn, type StopReason, type Turn } from "./turn.ts";
import { NO_OPTIONS, type TurnOptions } from "./turn-options.ts";

/** A node that is silent for so long is taken for dead, and its turns for orphans. */
export const LEASE_MS = 15_000;

/** A turn that was begun this often takes the process down with it. */
const ATTEMPTS_MAX = 5;

interface LiveTurn {
  readonly job: Job;
  readonly turn: Turn;
  readonly stop: (reason: StopReason) => void;
  readonly ended: Promise<void>;
}

/** A turn that is about to run: who listens, and what lives in memory only. */
interface ExpectedTurn {
  readonly channel: TurnChannel;
  readonly options: TurnOptions;
}

/** The turns this process works on. What must survive it is in the store; this is only what runs. */
export interface LiveTurns {
  readonly owner: string;
  /**
   * The stream of a turn that is about to be accepted. It is there before the job is, as another turn's
   * end may start the job at once.
   */
  expect(turn: TurnJob, options: TurnOptions): TurnChannel;
  /** The turn was refused. */
  forget(turn: TurnJob): void;
  /**
   * Runs a job this node holds, detached from whoever asked for it. `events` is the session's whole
   * log, `added` what entered it with the job.
   */
  run(ctx: Context, job: Job, events: readonly Event[], added: readonly Event[]): void;
  /** Takes up a queued job, or one whose node is gone. */
  takeUp(ctx: Context, job: Job): Promise<void>;
  /** Stops the session's turn; resolves when its end is durable. False when none runs here. */
  cancel(session_id: string): Promise<boolean>;
  /** Tells the session's turn a person's answer; false when it has no such call waiting. */
  answerGate(session_id: string, call_id: string, answer: GateAnswer): Promise<boolean>;
  /** The jobs whose leases this process must keep. */
  jobIds(): number[];
  /** Waits for the running turns, then leaves the rest to the next process. */
  drain(ctx: Context, patience_ms: number): Promise<void>;
}

export function createLiveTurns(owner: string, streams: SessionStreams): LiveTurns {
  const live = new Map<number, LiveTurn>();
  // By its payload: a resumed turn may be expected while its first part still runs.
  const expected = new Map<string, ExpectedTurn>();
  let draining = false;

  const open = (turn_id: string, session_id: string): TurnChannel =>
    createTurnChannel(turn_id, (frame) => streams.send(session_id, frame));

  const findLive = (session_id: string): LiveTurn | undefined =>
    [...live.values()].find(({ job }) => job.payload.session_id === session_id);

  const turns: LiveTurns = {
    owner,
    expect(turn, options) {
      const channel = open(turn.turn_id, turn.session_id);
      expected.set(expectedKey(turn), { channel, options });
      return channel;
    },
    forget: (turn) => void expected.delete(expectedKey(turn)),
    run(ctx, job, events, added) {
      const { payload } = job;
      const { turn_id, session_id } = payload;
      const known = expected.get(expectedKey(payload));
      expected.delete(expectedKey(payload));
      const { channel, options } = known ?? {
        channel: open(turn_id, session_id),
        options: NO_OPTIONS,
      };
      const abort = new AbortController();
      const turn = createTurn({ ctx, job, options, events, channel, abort });
      const ended = work(ctx, turn, events, added).then(async (next) => {
        live.delete(job.id);
        if (next) await turns.takeUp(ctx, next);
      });
      live.set(job.id, { job, turn, stop: turn.stop, ended: ended.catch(logged(ctx, job)) });
    },
    async takeUp(ctx, job) {
      if (draining) return;
      const { started, added } = await startJob(ctx, job, owner);
      if (!started) return;
      turns.run(ctx, started, await ctx.read.events.list(job.payload.session_id), added);
    },
    async cancel(session_id) {
      const turn = findLive(session_id);
      turn?.stop("cancelled");
      await turn?.ended;
      return turn !== undefined;
    },
    answerGate: async (session_id, call_id, answer) =>
      (await findLive(session_id)?.turn.answerGate(call_id, answer)) ?? false,
    jobIds: () => [...live.values()].map(({ job }) => job.id),
    async drain(ctx, patience_ms) {
      draining = true;
      const ended = Promise.all([...live.values()].map((turn) => turn.ended));
      await Promise.race([ended, delay(patience_ms, undefined, { ref: false })]);
      for (const turn of live.values()) turn.stop("shutdown");
      for (const { channel } of expected.values()) channel.fail(stopping());
      await ended;
      await ctx.write((tx) => tx.jobs.release(owner));
    },
  };
  return turns;
}

/** Performs a turn to its end. Returns the session's next job. */
async function work(
  ctx: Context,
  turn: Turn,
  events: readonly Event[],
  added: readonly Event[],
): Promise<Job | undefined> {
  const { job, channel, signal } = turn;
  try {
    channel.publish(added);
    if (job.attempts > ATTEMPTS_MAX) return await endTurn(ctx, turn, keepsFailing());
    if (job.attempts > 1) noteRecovery(turn, events);
    return await performTurn(ctx, turn);
  } catch (error) {
    const shutdown = signal.reason === "shutdown";
    if (!shutdown) ctx.services.log.error({ err: error, job_id: job.id }, "turn lost its store");
    channel.fail(shutdown ? stopping() : storeFailed());
    return undefined;
  }
}

const expectedKey = ({ turn_id, resume }: TurnJob): string =>
  resume ? `${turn_id} ${resume.interrupt_id}` : turn_id;

interface Started {
  readonly started: Job | undefined;
  readonly added: readonly Event[];
}

/** Makes a job this node's; what waited with it enters the log now that it is its turn. */
async function startJob(ctx: Context, job: Job, owner: string): Promise<Started> {
  const { payload } = job;
  const now_ms = ctx.now().getTime();
  return ctx.write(async (tx) => {
    const started = await tx.jobs.start(job.id, { owner, until_ms: now_ms + LEASE_MS }, now_ms);
    if (started?.attempts !== 1) return { started, added: [] };
    const added = await enterLog(ctx, tx, payload);
    await tx.sessions.update(payload.session_id, { status: "active" });
    return { started, added };
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
