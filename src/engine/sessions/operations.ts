import { z } from "zod";
import type { Context } from "../context.ts";
import { PublicEvent, toPublicEvents } from "../events/event.ts";
import { appendFacts } from "../events/log.ts";
import { jobKeyOf } from "../jobs/job.ts";
import { badRequest, conflict, notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";
import { readPage } from "../kernel/page.ts";
import type { Principal } from "../kernel/principal.ts";
import { findByIdOrName } from "../kernel/reference.ts";
import { defineOperation } from "../operation.ts";
import { closePaused } from "../runtime/close-paused.ts";
import type { Reads } from "../store.ts";
import { stopTasks } from "../tasks/task-turn.ts";
import { boundary } from "./dates.ts";
import {
  Session,
  SessionCreate,
  SessionKey,
  SessionPage,
  SessionQuery,
  type SessionRecord,
  SessionUpdate,
  SessionWithEvents,
} from "./session.ts";
import { requireVisible } from "./visitor.ts";

export const listSessions = defineOperation({
  name: "sessions.list",
  summary: "List sessions, last updated first",
  scope: "sessions:read",
  effect: "read",
  input: SessionQuery,
  output: SessionPage,
  run: async ({ read, principal }, query) => {
    const { user_sub, status } = query;
    const filter = {
      user_sub: principal.kind === "end_user" ? principal.subject : user_sub || undefined,
      status: status || undefined,
      from: boundary("from", query.from),
      to: boundary("to", query.to),
    };
    const page = await readPage(read.sessions, filter, query);
    return { ...page, per_page_max: LIMITS.sessions_page.max };
  },
});

export const getSession = defineOperation({
  name: "sessions.get",
  summary: "Read a session and its persisted events",
  scope: "sessions:read",
  effect: "read",
  input: SessionKey,
  output: SessionWithEvents,
  run: async ({ read, principal }, { id }) => {
    const session = await requireSession(read, principal, id);
    return { ...session, events: toPublicEvents(await read.events.list(id)) };
  },
});

export const listMessages = defineOperation({
  name: "sessions.messages",
  summary: "Read a session's persisted events, oldest first",
  scope: "sessions:read",
  effect: "read",
  input: SessionKey,
  output: z.array(PublicEvent),
  run: async ({ read, principal }, { id }) => {
    await requireSession(read, principal, id);
    return toPublicEvents(await read.events.list(id));
  },
});

export const createSession = defineOperation({
  name: "sessions.create",
  summary: "Create a session",
  scope: "sessions:write",
  effect: "write",
  input: SessionCreate,
  output: Session,
  run: (ctx, { id = ctx.newId(), title, schema_id, user_sub, metadata = {} }) =>
    ctx.write(async (tx) => {
      if (await tx.sessions.get(id)) throw conflict(`session ${id} already exists`);
      const now = ctx.now().toISOString();
      const session: SessionRecord = {
        id,
        title,
        schema_id: await resolveSchema(tx, schema_id),
        user_sub: ctx.principal.kind === "end_user" ? ctx.principal.subject : user_sub,
        status: "active",
        metadata,
        created_at: now,
        updated_at: now,
      };
      await tx.sessions.insert(session);
      return session;
    }),
});

export const updateSession = defineOperation({
  name: "sessions.update",
  summary: "Change a session's title, status or metadata",
  scope: "sessions:write",
  effect: "write",
  input: SessionUpdate,
  output: Session,
  run: (ctx, { id, ...fields }) =>
    ctx.write(async (tx) => {
      const session = await requireSession(tx, ctx.principal, id);
      const supplied = Object.values(fields).some((value) => value !== undefined);
      if (!supplied) return session;
      const changed = { ...fields, updated_at: ctx.now().toISOString() };
      await tx.sessions.update(id, changed);
      return { ...session, ...changed };
    }),
});

export const deleteSession = defineOperation({
  name: "sessions.delete",
  summary: "Delete a session and its events; a running turn is stopped",
  scope: "sessions:write",
  effect: "destroy",
  input: SessionKey,
  output: Nothing,
  run: async (ctx, { id }) => {
    await requireSession(ctx.read, ctx.principal, id);
    await ctx.write((tx) => tx.jobs.deleteQueued(jobKeyOf(id)));
    await ctx.services.turns.cancel(id);
    await ctx.write(async (tx) => {
      await tx.jobs.deleteByKey(jobKeyOf(id));
      await tx.sessions.delete(id);
    });
    ctx.services.turns.forgetSession(id);
    return undefined;
  },
});

export const cancelTurn = defineOperation({
  name: "sessions.cancel",
  summary: "Stop the session's running turn; what was said so far is kept",
  scope: "chat",
  effect: "write",
  input: SessionKey,
  output: z.object({ status: z.enum(["cancelled", "idle"]) }),
  run: async (ctx, { id }) => {
    await requireSession(ctx.read, ctx.principal, id);
    const stopped = (await ctx.services.turns.cancel(id)) || (await leavePaused(ctx, id));
    return { status: stopped ? ("cancelled" as const) : ("idle" as const) };
  },
});

/** Ends a turn that waits for a form's answer; false when none does. */
const leavePaused = (ctx: Context, id: string): Promise<boolean> =>
  ctx.write(async (tx) => {
    const { closing, turn_ids } = await closePaused(tx, id, "the session was stopped");
    if (closing.length === 0) return false;
    await appendFacts(ctx, tx, id, closing);
    await stopTasks(ctx, tx, turn_ids);
    const updated_at = ctx.now().toISOString();
    await tx.sessions.update(id, { status: "completed", updated_at });
    return true;
  });

async function requireSession(
  store: Pick<Reads, "sessions">,
  principal: Principal,
  id: string,
): Promise<SessionRecord> {
  const session = await store.sessions.get(id);
  if (!session) throw notFound("session", id);
  requireVisible(principal, session);
  return session;
}

async function resolveSchema(
  { schemas }: Pick<Reads, "schemas">,
  reference: string | undefined,
): Promise<string | undefined> {
  if (!reference) return undefined;
  const schema = await findByIdOrName(schemas, reference);
  if (!schema) throw badRequest(`schema_id: there is no schema "${reference}"`);
  return schema.id;
}
