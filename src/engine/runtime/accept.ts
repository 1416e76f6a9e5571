import type { Context } from "../context.ts";
import type { Event } from "../events/event.ts";
import type { Job, TurnJob } from "../jobs/job.ts";
import { conflict, forbidden, notFound } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import type { SchemaRecord } from "../schemas/schema.ts";
import { isVisible } from "../sessions/visitor.ts";
import type { Reads, Writes } from "../store.ts";
import { requireAllowance } from "../usage/meter.ts";
import { enterLog } from "./enter-log.ts";
import type { IdempotencyRecord } from "./idempotency.ts";
import { LEASE_MS } from "./live-turns.ts";
import { noteUse, openSession } from "./open-session.ts";

const TOO_LATE = "this interrupt was answered or abandoned already";

export type NewJob = Omit<Job, "id">;

/** A request sent with an `Idempotency-Key`. */
export type KeyedRequest = Pick<IdempotencyRecord, "owner" | "key" | "body_hash">;

export interface Accepted {
  /** Absent when the turn has to wait for the session's turn before it. */
  readonly job: Job | undefined;
  /** What entered the log with it. */
  readonly events: readonly Event[];
  /** The turn's frames come after this event. */
  readonly after_seq: number;
}

/**
 * Session, message and job in one transaction: the turn is accepted whole or not at all. Throws `conflict`
 * when the same request was accepted a moment before: its caller joins that one.
 */
export async function accept(
  ctx: Context,
  tx: Writes,
  job: NewJob,
  schema: SchemaRecord,
  keyed: KeyedRequest | undefined,
): Promise<Accepted> {
  if (keyed && (await findSame(tx, keyed))) throw conflict("this request was accepted already");
  const { session_id, turn_id } = job.payload;
  const now = ctx.now();
  if (!job.payload.is_byok) await requireAllowance(tx, job.payload.user_sub, now);
  const running = await tx.jobs.countByKey(job.key);
  if (running > LIMITS.queued_messages_per_session) {
    throw conflict(`${running - 1} messages already wait in this session; try again later`);
  }
  // Whatever runs now will abandon what the answer is for, or goes on with it already.
  if (running > 0 && job.payload.resume) throw conflict(TOO_LATE);
  await openSession(ctx, tx, job.payload);
  await noteUse(tx, schema, now);
  const after_seq = await tx.events.lastSeq(session_id);
  if (keyed) {
    const created_at = now.toISOString();
    await tx.idempotency.insert({ ...keyed, session_id, turn_id, after_seq, created_at });
  }
  if (running > 0) {
    await tx.jobs.insert(job);
    return { job: undefined, events: [], after_seq };
  }
  const events = await enterLog(ctx, tx, job.payload);
  if (!events) throw conflict(TOO_LATE);
  const started = await tx.jobs.insert({
    ...job,
    state: "running",
    owner: ctx.services.turns.owner,
    lease_until_ms: now.getTime() + LEASE_MS,
    attempts: 1,
  });
  return { job: started, events, after_seq };
}

/** Throws `conflict` when the key was used with another body. */
export async function findSame(
  { idempotency }: Pick<Reads, "idempotency">,
  keyed: KeyedRequest,
): Promise<IdempotencyRecord | undefined> {
  const known = await idempotency.get(keyed.owner, keyed.key);
  if (known && known.body_hash !== keyed.body_hash) {
    throw conflict("this Idempotency-Key was used with another request; choose a new one");
  }
  return known;
}

/** The turn an answer goes on with: 404, 403 and 409 of specification 4, in this order. */
export async function requireInterrupt(
  { read, principal }: Context,
  interrupt_id: string,
  session_id: string,
): Promise<Pick<TurnJob, "turn_id" | "agent_id" | "task_id">> {
  const interrupt = await read.interrupts.get(interrupt_id);
  const session = interrupt && (await read.sessions.get(interrupt.session_id));
  if (!session || !isVisible(principal, session)) throw notFound("interrupt", interrupt_id);
  if (session.id !== session_id) throw forbidden("this interrupt belongs to another session");
  if (interrupt.status !== "pending") {
    throw conflict(`this interrupt was ${interrupt.status} already`);
  }
  const { turn_id } = interrupt;
  const first = await read.events.firstOfTurn(session_id, turn_id);
  const task = await read.tasks.getByTurn(turn_id);
  return { turn_id, agent_id: first?.agent_id ?? "", task_id: task?.id };
}
