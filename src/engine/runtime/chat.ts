import { z } from "zod";
import { actorOf } from "../audit/audit.ts";
import type { Context } from "../context.ts";
import type { FrameListener } from "../events/channel.ts";
import { frameId, type WireFrame } from "../events/wire.ts";
import { jobKeyOf, type TurnJob } from "../jobs/job.ts";
import { badRequest, notFound } from "../kernel/error.ts";
import { Name, UuidOrEmpty } from "../kernel/fields.ts";
import { sha256 } from "../kernel/ids.ts";
import { LIMITS } from "../kernel/limits.ts";
import { forwardable } from "../mcp-servers/forwarded-headers.ts";
import type { SchemaRecord } from "../schemas/schema.ts";
import { visitorOf } from "../sessions/visitor.ts";
import { accept, findSame, type KeyedRequest, type NewJob, requireInterrupt } from "./accept.ts";
import { type OverridingModel, type OwnModel, readOwnModel } from "./byok.ts";
import { joinTurn } from "./join-turn.ts";
import type { TurnOptions } from "./turn-options.ts";

const ResumeInterrupt = z.object({
  interrupt_id: z.string().optional(),
  payload: z.unknown().optional(),
});

/** A chat request (specification 4 Chat); `name` is the schema's. */
export const ChatInput = z.object({
  name: Name,
  message: z.string().optional(),
  resume_interrupt: ResumeInterrupt.optional(),
  session_id: UuidOrEmpty.optional(),
  stream: z.boolean().optional(),
  user_sub: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
});
export type ChatInput = z.infer<typeof ChatInput>;

/** What a transport knows of a chat request beside its body. */
export interface ChatExtras {
  readonly idempotency_key?: string | undefined;
  readonly own_model?: OwnModel | undefined;
  /** The request's own headers, for MCP servers that ask for some of them by name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A turn that was accepted: it runs on whether or not anybody follows it. */
export interface AcceptedTurn {
  readonly session_id: string;
  readonly turn_id: string;
  readonly schema_id: string;
  /** The id after which the turn's frames come: where a client resumes that has seen none of them. */
  readonly resume_id: number;
  /** What is over of it already, when the request joined a turn. */
  readonly replay: readonly WireFrame[];
  /** Frames behind the replay until `done` or `error`. Returns how to stop following. */
  follow(listener: FrameListener): () => void;
}

/** Every refusal is thrown here, before the first frame. */
export async function startChat(
  ctx: Context,
  input: ChatInput,
  extras: ChatExtras,
): Promise<AcceptedTurn> {
  const request = requireRequest(input);
  const chat = await requireChat(ctx, input.name);
  const keyed = keyedRequest(ctx, input, extras);
  const joinSame = async (): Promise<AcceptedTurn | undefined> => {
    const known = keyed && (await findSame(ctx.read, keyed));
    return known && joinTurn(ctx, chat.schema.id, known);
  };
  // Before anything that the first request has changed: an interrupt may be answered by now.
  const same = await joinSame();
  if (same) return same;
  try {
    const model = extras.own_model && (await readOwnModel(ctx, extras.own_model));
    const job = await toJob(ctx, input, request, chat, model);
    // What the body says wins over what the request itself carried.
    const headers = { ...forwardable(extras.headers), ...forwardable(input.headers) };
    return await beginTurn(ctx, job, chat.schema, { headers, model }, keyed);
  } catch (refusal) {
    // What refuses it may be what the same request, sent at the same moment, has done.
    const faster = await joinSame();
    if (faster) return faster;
    throw refusal;
  }
}

async function beginTurn(
  ctx: Context,
  job: NewJob,
  schema: SchemaRecord,
  options: TurnOptions,
  keyed: KeyedRequest | undefined,
): Promise<AcceptedTurn> {
  const { payload } = job;
  const { turns } = ctx.services;
  const { follow } = turns.expect(payload, options);
  try {
    const accepted = await ctx.write((tx) => accept(ctx, tx, job, schema, keyed));
    const { after_seq, events } = accepted;
    if (accepted.job) await turns.run(ctx, accepted.job, { added: events, is_crashed: false });
    const { session_id, turn_id, schema_id } = payload;
    const resume_id = frameId(after_seq);
    return { session_id, turn_id, schema_id, resume_id, replay: [], follow };
  } catch (error) {
    turns.forget(payload);
    throw error;
  }
}

/** What is asked for, as a job that any process can do; only keys and headers stay in this one. */
async function toJob(
  ctx: Context,
  input: ChatInput,
  request: Request,
  { schema, agent_id }: Chat,
  model: OverridingModel | undefined,
): Promise<NewJob> {
  const user_sub = visitorOf(ctx.principal, input.user_sub);
  const session_id = input.session_id ?? ctx.newId();
  const { resume } = request;
  const turn = resume
    ? await requireInterrupt(ctx, resume.interrupt_id, session_id)
    : { turn_id: ctx.newId(), agent_id };
  // A quick client answers while the turn that asked still comes to its pause.
  if (resume) await ctx.services.turns.settled(turn.turn_id);
  const is_collected = input.stream === false || undefined;
  return {
    kind: "turn",
    key: jobKeyOf(session_id),
    state: "queued",
    payload: {
      ...turn,
      ...request,
      request_id: ctx.newId(),
      session_id,
      schema_id: schema.id,
      user_sub,
      actor: actorOf(ctx.principal),
      is_collected,
      is_unattended: is_collected && (input.session_id === undefined || undefined),
      is_byok: model && true,
    },
    attempts: 0,
    created_at: ctx.now().toISOString(),
  };
}

interface Chat {
  readonly schema: SchemaRecord;
  readonly agent_id: string;
}

type Request = Pick<TurnJob, "message" | "resume">;

/** Exactly one of message and resume_interrupt; an empty one of either counts as absent. */
function requireRequest({ message, resume_interrupt, session_id }: ChatInput): Request {
  const { interrupt_id, payload } = resume_interrupt ?? {};
  if (message && interrupt_id) {
    throw badRequest("message and resume_interrupt exclude each other: send one of them");
  }
  if (message) return { message };
  if (resume_interrupt && !session_id) {
    throw badRequest("session_id is required with resume_interrupt");
  }
  if (interrupt_id) return { resume: { interrupt_id: interrupt_id.toLowerCase(), payload } };
  throw badRequest("message or resume_interrupt is required");
}

async function requireChat(ctx: Context, name: string): Promise<Chat> {
  const schema = await ctx.read.schemas.getByName(name);
  if (!schema?.chat_enabled) throw notFound("schema with chat", name);
  if (schema.entry_agent_id) return { schema, agent_id: schema.entry_agent_id };
  throw badRequest(`schema "${name}" has no entry agent: set entry_agent_id on it`);
}

/** The same key and body is the same request (decision 7). */
function keyedRequest(
  { principal }: Context,
  input: ChatInput,
  { idempotency_key: key }: ChatExtras,
): KeyedRequest | undefined {
  if (key === undefined) return undefined;
  if (key === "" || key.length > LIMITS.idempotency_key_characters) {
    throw badRequest(
      `Idempotency-Key: must have 1 to ${LIMITS.idempotency_key_characters} characters`,
    );
  }
  const owner = `${principal.kind}:${principal.subject}`;
  return { owner, key, body_hash: sha256(JSON.stringify(input)) };
}
