import { z } from "zod";
import type { Context } from "../context.ts";
import type { FrameListener } from "../events/channel.ts";
import type { Event } from "../events/event.ts";
import { appendFacts } from "../events/log.ts";
import { frameId } from "../events/wire.ts";
import { type Job, jobKeyOf } from "../jobs/job.ts";
import { badRequest, conflict, notFound } from "../kernel/error.ts";
import { Name, Uuid } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";
import type { SchemaRecord } from "../schemas/schema.ts";
import { requireVisible, visitorOf } from "../sessions/visitor.ts";
import type { Writes } from "../store.ts";
import { LEASE_MS } from "./live-turns.ts";

const ResumeInterrupt = z.object({
  interrupt_id: z.string().optional(),
  payload: z.unknown().optional(),
});

/** A chat request (specification 4 Chat); `name` is the schema's. */
export const ChatInput = z.object({
  name: Name,
  message: z.string().optional(),
  resume_interrupt: ResumeInterrupt.optional(),
  session_id: Uuid.optional(),
  stream: z.boolean().optional(),
  user_sub: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});
export type ChatInput = z.infer<typeof ChatInput>;

/** A turn that was accepted: it runs on whether or not anybody follows it. */
export interface AcceptedTurn {
  readonly session_id: string;
  readonly schema_id: string;
  /** The id after which the turn's frames come: where a client resumes that has seen none of them. */
  readonly resume_id: number;
  /** Frames until `done` or `error`, from the first on. Returns how to stop following. */
  follow(listener: FrameListener): () => void;
}

type NewJob = Omit<Job, "id">;

/** Every refusal is thrown here, before the first frame. */
export async function startChat(ctx: Context, input: ChatInput): Promise<AcceptedTurn> {
  const message = requireMessage(input);
  const { schema, agent_id } = await requireChat(ctx, input.name);
  const session_id = input.session_id ?? ctx.newId();
  const turn_id = ctx.newId();
  const job: NewJob = {
    kind: "turn",
    key: jobKeyOf(session_id),
    state: "queued",
    payload: { session_id, turn_id, schema_id: schema.id, agent_id, message },
    attempts: 0,
    created_at: ctx.now().toISOString(),
  };
  const visitor = visitorOf(ctx.principal, input.user_sub);
  const { turns } = ctx.services;
  const { follow } = turns.expect(turn_id, session_id);
  try {
    const accepted = await ctx.write((tx) => accept(ctx, tx, job, schema, visitor));
    if (accepted.job) turns.run(ctx, accepted.job, await wholeLog(ctx, accepted.events));
    return { session_id, schema_id: schema.id, resume_id: frameId(accepted.last_seq), follow };
  } catch (error) {
    turns.forget(turn_id);
    throw error;
  }
}

/** Exactly one of message and resume_interrupt; an empty one of either counts as absent. */
function requireMessage({ message, resume_interrupt, session_id }: ChatInput): string {
  const interrupt_id = resume_interrupt?.interrupt_id;
  if (message && interrupt_id) {
    throw badRequest("message and resume_interrupt exclude each other: send one of them");
  }
  if (message) return message;
  if (!interrupt_id) throw badRequest("message or resume_interrupt is required");
  if (!session_id) throw badRequest("session_id is required with resume_interrupt");
  throw notFound("interrupt", interrupt_id);
}

async function requireChat(
  ctx: Context,
  name: string,
): Promise<{ schema: SchemaRecord; agent_id: string }> {
  const schema = await ctx.read.schemas.getByName(name);
  if (!schema?.chat_enabled) throw notFound("schema with chat", name);
  if (schema.entry_agent_id) return { schema, agent_id: schema.entry_agent_id };
  throw badRequest(`schema "${name}" has no entry agent: set entry_agent_id on it`);
}

interface Accepted {
  readonly job: Job | undefined;
  readonly events: readonly Event[];
  readonly last_seq: number;
}

/**
 * Session, message and job in one transaction: the turn is accepted whole or not at all. There is no job
 * to run when it has to wait for the session's turn before it.
 */
async function accept(
  ctx: Context,
  tx: Writes,
  job: NewJob,
  schema: SchemaRecord,
  visitor: string,
): Promise<Accepted> {
  const { session_id, turn_id, agent_id, message = "" } = job.payload;
  const now = ctx.now();
  const running = await tx.jobs.countByKey(job.key);
  if (running > LIMITS.queued_messages_per_session) {
    throw conflict(`${running - 1} messages already wait in this session; try again later`);
  }
  await openSession(ctx, tx, job, visitor, now.toISOString());
  await noteUse(tx, schema, now);
  if (running > 0) {
    await tx.jobs.insert(job);
    return { job: undefined, events: [], last_seq: await tx.events.lastSeq(session_id) };
  }
  const fact = { type: "user_message", payload: { content: message } } as const;
  const events = await appendFacts(ctx, tx, { session_id, turn_id, agent_id }, [fact]);
  const started = await tx.jobs.insert({
    ...job,
    state: "running",
    owner: ctx.services.turns.owner,
    lease_until_ms: now.getTime() + LEASE_MS,
    attempts: 1,
  });
  return { job: started, events, last_seq: events.at(-1)?.seq ?? 0 };
}

/** A new session's log is what was just written; reading it again would be for nothing. */
async function wholeLog({ read }: Context, added: readonly Event[]): Promise<readonly Event[]> {
  const [first] = added;
  return first === undefined || first.seq === 1 ? added : read.events.list(first.session_id);
}

/** To the minute: a busy schema must not cost a write per message. */
const NOTE_EVERY_MS = 60_000;

async function noteUse(tx: Writes, schema: SchemaRecord, now: Date): Promise<void> {
  const last = schema.chat_last_fired_at ? Date.parse(schema.chat_last_fired_at) : 0;
  if (now.getTime() - last < NOTE_EVERY_MS) return;
  await tx.schemas.update(schema.id, { chat_last_fired_at: now.toISOString() });
}

/** The session the message belongs to: the caller's own, of this schema, or a new one. */
async function openSession(
  ctx: Context,
  tx: Writes,
  job: NewJob,
  visitor: string,
  now: string,
): Promise<void> {
  const { session_id, schema_id, message = "" } = job.payload;
  const session = await tx.sessions.get(session_id);
  if (!session) {
    await tx.sessions.insert({
      id: session_id,
      title: titleOf(message),
      schema_id,
      user_sub: visitor,
      status: "active",
      metadata: {},
      created_at: now,
      updated_at: now,
    });
    return;
  }
  requireVisible(ctx.principal, session);
  if (session.schema_id && session.schema_id !== schema_id) throw notFound("session", session_id);
  const title = session.title ?? titleOf(message);
  await tx.sessions.update(session_id, { title, schema_id, status: "active", updated_at: now });
}

const TITLE_LENGTH = 80;

/** A session is called by its first words until somebody names it. */
function titleOf(message: string): string {
  const line = message.trim().replace(/\s+/g, " ");
  return line.length > TITLE_LENGTH ? `${line.slice(0, TITLE_LENGTH - 1)}…` : line;
}
