import { setTimeout as delay } from "node:timers/promises";
import type { Context } from "../context.ts";
import { createTurnChannel, type TurnChannel } from "../events/channel.ts";
import type { Event, GateAnswer } from "../events/event.ts";
import { toFrame } from "../events/project.ts";
import type { SessionStreams } from "../events/session-streams.ts";
import type { Job, TurnJob } from "../jobs/job.ts";
import { EngineError } from "../kernel/error.ts";
import { enterLog } from "./enter-log.ts";
import { createPasts, type Pasts, type SessionLog } from "./past.ts";
import { crashesInARow, endTurn, noteCrash, performTurn } from "./perform-turn.ts";
import { createTurn, type StopReason, type Turn } from "./turn.ts";
import { NO_OPTIONS, type TurnOptions } from "./turn-options.ts";

/** A node that is silent for so long is taken for dead, and its turns for orphans. */
export const LEASE_MS = 15_000;

/** A turn during which so many processes died, and nothing else happened, takes them down with it. */
const CRASHES_MAX = 5;

interface LiveTurn {
  readonly job: Job;
  readonly turn: Turn;
  readonly stop: (reason: StopReason) => void;
  readonly ended: Promise<void>;
}

/** A task that is worked on here. */
export interface LiveTask {
  readonly task_id: string;
  readonly session_id: string;
  /** For a person, at a gate. */
  readonly is_waiting: boolean;
}

function toLiveTask({ job, deadline }: Turn): LiveTask | undefined {
  const { task_id, session_id } = job.payload;
  return task_id === undefined ? undefined : { task_id, session_id, is_waiting: deadline.isHeld() };
}

/** A turn that is about to run: who listens, and what lives in memory only. */
interface ExpectedTurn {
  readonly session_id: string;
  readonly channel: TurnChannel;
  readonly options: TurnOptions;
}

/** How a turn begins or goes on. */
interface Beginning {
  /** What entered the session's log with the job. */
  readonly added: readonly Event[];
  /** A process that worked on the turn died. */
  readonly is_crashed: boolean;
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
  /** Runs a job this node holds, detached from whoever asked for it. Resolves once it runs. */
  run(ctx: Context, job: Job, beginning: Beginning): Promise<void>;
  /** Takes up a queued job, or one whose node is gone. */
  takeUp(ctx: Context, job: Job): Promise<void>;
  /** Resolves when no part of this turn runs here. */
  settled(turn_id: string): Promise<void>;
  /** A session was deleted: the requests that wait in it get their last frame. */
  forgetSession(session_id: string): void;
  /** Stops the session's turn; resolves when its end is durable. False when none runs here. */
  cancel(session_id: string): Promise<boolean>;
  /** Tells the session's turn a person's answer; false when it has no such call waiting. */
  answerGate(session_id: string, call_id: string, answer: GateAnswer): Promise<boolean>;
  listTasks(): LiveTask[];
  /** The jobs whose leases this process must keep. */
  jobIds(): number[];
  /** How many accepted turns wait here for those before them. */
  waiting(): number;
  /** Waits for the running turns, then leaves the rest to the next process. */
  drain(ctx: Context, patience_ms: number): Promise<void>;
}

export function createLiveTurns(owner: string, streams: SessionStreams): LiveTurns {
  const live = new Map<number, LiveTurn>();
  const starts = createStarts();
  const expected = new Map<string, ExpectedTurn>();
  const pasts = createPasts();
  let draining = false;

  const open = (turn_id: string, session_id: string): TurnChannel =>
    createTurnChannel(turn_id, (frame) => streams.send(session_id, frame));

  const findLive = (session_id: string): LiveTurn | undefined =>
    [...live.values()].find(({ job }) => job.payload.session_id === session_id);

  const start = async (ctx: Context, job: Job, beginning: Beginning): Promise<void> => {
    const { payload } = job;
    const { turn_id, session_id } = payload;
    const log = await pasts.read(ctx, payload, beginning.added);
    const known = takeOut(expected, payload.request_id);
    const { channel, options } = known ?? {
      channel: open(turn_id, session_id),
      options: NO_OPTIONS,
    };
    const abort = new AbortController();
    const turn = createTurn({ ctx, job, options, read: log, channel, abort });
    for (const event of beginning.added) tellOthers(streams, event, turn_id);
    const ended = work(ctx, turn, { ...beginning, ...log }, pasts).then(async (next) => {
      if (live.get(job.id)?.turn === turn) live.delete(job.id);
      if (payload.task_id !== undefined) ctx.services.tasks.wake();
      if (next) await turns.takeUp(ctx, next);
    });
    live.set(job.id, { job, turn, stop: turn.stop, ended: ended.catch(logged(ctx, job)) });
  };

  const turns: LiveTurns = {
    owner,
    expect(turn, options) {
      const channel = open(turn.turn_id, turn.session_id);
      expected.set(turn.request_id, { session_id: turn.session_id, channel, options });
      return channel;
    },
    forget: (turn) => void expected.delete(turn.request_id),
    run: (ctx, job, beginning) => starts.add(job.payload, start(ctx, job, beginning)),
    async takeUp(ctx, job) {
      if (draining) return;
      const { started, added, next } = await startJob(ctx, job, owner);
      if (started) {
        const is_crashed = started.attempts > 1 && job.owner !== undefined;
        await turns.run(ctx, started, { added, is_crashed });
      } else if (next !== "taken") {
        takeOut(expected, job.payload.request_id)?.channel.fail(tooLate());
        if (next) await turns.takeUp(ctx, next);
      }
    },
    async settled(turn_id) {
      await starts.ended((turn) => turn.turn_id === turn_id);
      const findTurn = () => [...live.values()].find(({ job }) => job.payload.turn_id === turn_id);
      for (let turn = findTurn(); turn; turn = findTurn()) await turn.ended;
    },
    forgetSession(session_id) {
      pasts.drop(session_id);
      failWaiting(expected, session_id);
    },
    async cancel(session_id) {
      await starts.ended((turn) => turn.session_id === session_id);
      const turn = findLive(session_id);
      turn?.stop("cancelled");
      await turn?.ended;
      return turn !== undefined;
    },
    answerGate: async (session_id, call_id, answer) =>
      (await findLive(session_id)?.turn.answerGate(call_id, answer)) ?? false,
    waiting: () => expected.size,
    listTasks: () => [...live.values()].flatMap(({ turn }) => toLiveTask(turn) ?? []),
    jobIds: () => [...live.values()].map(({ job }) => job.id),
    async drain(ctx, patience_ms) {
      draining = true;
      await starts.ended(() => true);
      await stopAll(live, expected, patience_ms);
      expected.clear();
      await ctx.write((tx) => tx.jobs.handOver(owner));
    },
  };
  return turns;
}

interface Starts {
  add(turn: TurnJob, started: Promise<void>): Promise<void>;
  /** Who stops turns, or waits for them, means those as well that are about to run. */
  ended(isMeant: (turn: TurnJob) => boolean): Promise<unknown>;
}

/** Turns whose session's log is being read: of a long one, that takes a while. */
function createStarts(): Starts {
  const starts = new Set<{ readonly turn: TurnJob; readonly started: Promise<void> }>();
  return {
    async add(turn, started) {
      const start = { turn, started };
      starts.add(start);
      await started.finally(() => starts.delete(start));
    },
    ended: (isMeant) =>
      Promise.allSettled(
        [...starts].filter(({ turn }) => isMeant(turn)).map(({ started }) => started),
      ),
  };
}

/** Waits for what runs, then leaves the rest to the next process. */
async function stopAll(
  live: ReadonlyMap<number, LiveTurn>,
  expected: ReadonlyMap<string, ExpectedTurn>,
  patience_ms: number,
): Promise<void> {
  const ended = Promise.all([...live.values()].map((turn) => turn.ended));
  await Promise.race([ended, delay(patience_ms, undefined, { ref: false })]);
  for (const turn of live.values()) turn.stop("shutdown");
  for (const { channel } of expected.values()) channel.fail(stopping());
  await ended;
}

function failWaiting(expected: Map<string, ExpectedTurn>, session_id: string): void {
  for (const [request_id, waiting] of expected) {
    if (waiting.session_id !== session_id) continue;
    waiting.channel.fail(new EngineError("cancelled", "the session was deleted"));
    expected.delete(request_id);
  }
}

function takeOut<Value>(map: Map<string, Value>, key: string): Value | undefined {
  const value = map.get(key);
  map.delete(key);
  return value;
}

/** What a message ended in an earlier turn is told to the session, not to the client of the new one. */
function tellOthers(streams: SessionStreams, event: Event, turn_id: string): void {
  const frame = event.turn_id === turn_id ? undefined : toFrame(event);
  if (frame) streams.send(event.session_id, frame);
}

/** Performs a turn to its end. Returns the session's next job. */
async function work(
  ctx: Context,
  turn: Turn,
  log: Beginning & SessionLog,
  pasts: Pasts,
): Promise<Job | undefined> {
  const { job, channel, signal } = turn;
  try {
    channel.publish(log.added.filter(({ turn_id }) => turn_id === job.payload.turn_id));
    if (log.is_crashed) {
      const crashes = crashesInARow(turn, log.events);
      if (crashes >= CRASHES_MAX) return await endTurn(ctx, turn, keepsFailing());
      await noteCrash(turn, crashes + 1);
    }
    const next = await performTurn(ctx, turn);
    pasts.keep(job.payload.session_id, turn.past());
    return next;
  } catch (error) {
    const shutdown = signal.reason === "shutdown";
    // What landed meanwhile is kept: the next process goes on from there.
    if (shutdown) await turn.commit().catch(() => undefined);
    if (!shutdown) ctx.services.log.error({ err: error, job_id: job.id }, "turn lost its store");
    channel.fail(shutdown ? stopping() : storeFailed());
    return undefined;
  }
}

interface Started {
  readonly started: Job | undefined;
  readonly added: readonly Event[];
  /** When it was not started: another node was faster, or the job is void and this one comes next. */
  readonly next: Job | "taken" | undefined;
}

/** Makes a job this node's; what waited with it enters the log now that it is its turn. */
async function startJob(ctx: Context, job: Job, owner: string): Promise<Started> {
  const { payload } = job;
  const now_ms = ctx.now().getTime();
  return ctx.write(async (tx) => {
    const started = await tx.jobs.start(job.id, { owner, until_ms: now_ms + LEASE_MS }, now_ms);
    if (started?.attempts !== 1) return { started, added: [], next: "taken" };
    const added = await enterLog(ctx, tx, payload);
    if (added) {
      await tx.sessions.update(payload.session_id, { status: "active" });
      return { started, added, next: undefined };
    }
    await tx.jobs.finish(job.id);
    return { started: undefined, added: [], next: await tx.jobs.nextQueued(job.key) };
  });
}

const tooLate = () =>
  new EngineError("conflict", "this interrupt was answered or abandoned already");

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
