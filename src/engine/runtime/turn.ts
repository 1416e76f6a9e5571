import { type AuditEntry, CHAT_MESSAGE } from "../audit/audit.ts";
import type { Context } from "../context.ts";
import type { TurnChannel } from "../events/channel.ts";
import type { Fact, GateAnswer, TurnOutcome } from "../events/event.ts";
import { type Job, jobKeyOf } from "../jobs/job.ts";
import type { EngineError } from "../kernel/error.ts";
import type { SessionStatus } from "../sessions/session.ts";
import { followTurn } from "../tasks/task-turn.ts";
import { settle } from "../usage/meter.ts";
import {
  allRuns,
  type Conversation,
  foldConversation,
  runWithCall,
  takeIn,
  toPast,
} from "./conversation.ts";
import { createDeadline, type Deadline } from "./deadline.ts";
import type { Past, SessionLog } from "./past.ts";
import type { Run } from "./run.ts";
import { createTurnLog } from "./turn-log.ts";
import type { TurnOptions } from "./turn-options.ts";

/** Why a turn's signal is aborted. A turn stopped by a shutdown goes on in the next process. */
export type StopReason = "cancelled" | "deadline" | "shutdown";

/** A turn at work in this process: its runs, its place in the log, and who listens. */
export interface Turn {
  readonly job: Job;
  readonly options: TurnOptions;
  readonly conversation: Conversation;
  readonly channel: TurnChannel;
  /** Aborts with a StopReason. */
  readonly signal: AbortSignal;
  readonly deadline: Deadline;
  stop(reason: StopReason): void;
  /** A write failed: what this process knows of the turn is no longer what the log says. */
  isLost(): boolean;
  /** Takes in facts that are not durable yet; `commit` makes them so. */
  record(run: Run, ...facts: readonly Fact[]): void;
  /** Resolves when everything recorded so far is durable and the followers were told. */
  commit(): Promise<void>;
  /** As `commit`, but nobody waits for it, and others may join. */
  commitSoon(): void;
  /** The last commit: outcome, session and job in one transaction. Returns the session's next job. */
  finish(outcome: TurnOutcome, error?: EngineError): Promise<Job | undefined>;
  /** What the session's next turn goes on with, once this one is finished. */
  past(): Past;
  /** Makes a person's answer durable; false when no such call waits for one. */
  answerGate(call_id: string, answer: GateAnswer): Promise<boolean>;
  /** Resolves when the call's gate was answered. */
  gateAnswered(call_id: string): Promise<void>;
}

const STATUS_AFTER: Readonly<Record<TurnOutcome, SessionStatus>> = {
  completed: "completed",
  paused: "active",
  failed: "failed",
  cancelled: "completed",
};

export function createTurn(input: {
  ctx: Context;
  job: Job;
  options: TurnOptions;
  /** The session's log, this turn's first fact included. */
  read: SessionLog;
  channel: TurnChannel;
  abort: AbortController;
}): Turn {
  const { ctx, job, options, channel, abort } = input;
  const { past, events } = input.read;
  const { session_id, turn_id } = job.payload;
  const conversation = foldConversation(events, job.payload, past);
  const log = createTurnLog(ctx, channel, events, (tx, added) =>
    followTurn(ctx, tx, job.payload, added, () => ({
      // What the engine said for it, when the agent itself had nothing to say.
      answer: conversation.root.said ?? conversation.root.answer,
      is_out_of_time: abort.signal.reason === ("deadline" satisfies StopReason),
      is_gated: hasOpenGate(conversation),
    })),
  );
  const gates = new Map<string, PromiseWithResolvers<void>>();

  const record = (run: Run, ...facts: readonly Fact[]) => {
    const { id: run_id, agent_id } = run;
    const origin = { session_id, turn_id, run_id, agent_id };
    const now_ms = ctx.now().getTime();
    for (const fact of facts) {
      takeIn(conversation, run, fact, now_ms);
      log.record({ origin, fact });
    }
  };
  const gateOf = (call_id: string) => {
    const gate = gates.get(call_id) ?? Promise.withResolvers<void>();
    gates.set(call_id, gate);
    return gate;
  };

  return {
    job,
    options,
    conversation,
    channel,
    signal: abort.signal,
    deadline: createDeadline(() => abort.abort("deadline" satisfies StopReason)),
    stop: (reason) => abort.abort(reason),
    isLost: log.isLost,
    record,
    commit: log.commit,
    commitSoon: log.commitSoon,
    finish(outcome, error) {
      const used = usedBy(job, conversation);
      record(conversation.root, finished(conversation, outcome, error));
      return log.commitWith(async (tx) => {
        const now = ctx.now();
        const status = STATUS_AFTER[outcome];
        await tx.sessions.update(session_id, { status, updated_at: now.toISOString() });
        await settle(tx, job.payload, used, now);
        const message = messageEntry(ctx, job);
        if (message) await tx.audit.append(message);
        await tx.jobs.finish(job.id);
        return tx.jobs.nextQueued(jobKeyOf(session_id));
      });
    },
    past: () => toPast(conversation, log.last()),
    async answerGate(call_id, answer) {
      const run = runWithCall(conversation, call_id);
      const gate = run?.pending.get(call_id)?.gate;
      if (!run || !gate || gate.answer) return false;
      record(run, { type: "confirmation_answer", call_id, payload: answer });
      await log.commit();
      gateOf(call_id).resolve();
      return true;
    },
    gateAnswered: (call_id) => gateOf(call_id).promise,
  };
}

/** Recorded with the turn's end, at the time it began: the answer does not wait for it. */
function messageEntry(ctx: Context, { payload, created_at }: Job): AuditEntry | undefined {
  const { actor, session_id, schema_id } = payload;
  if (!actor) return undefined;
  return {
    id: ctx.newId(),
    timestamp: created_at,
    ...actor,
    action: CHAT_MESSAGE,
    resource: `session ${session_id}`,
    details: JSON.stringify({ session_id, schema_id }),
  };
}

const hasOpenGate = (conversation: Conversation): boolean =>
  allRuns(conversation).some(({ pending }) =>
    [...pending.values()].some(({ gate }) => gate && !gate.answer),
  );

/** A resumed turn was counted when it began, and one that never got a word from its model is free. */
function usedBy({ payload }: Job, { steps, usage }: Conversation) {
  const turns = payload.resume === undefined && steps > 0 ? 1 : 0;
  return { turns, steps, usage } as const;
}

function finished(
  { usage, root }: Conversation,
  outcome: TurnOutcome,
  error: EngineError | undefined,
): Fact {
  const failure = error && { code: error.code, message: error.message };
  const { context_tokens } = root;
  return { type: "turn_finished", payload: { outcome, usage, context_tokens, error: failure } };
}
