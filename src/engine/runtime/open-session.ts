import type { Context } from "../context.ts";
import type { TurnJob } from "../jobs/job.ts";
import { notFound } from "../kernel/error.ts";
import type { SchemaRecord } from "../schemas/schema.ts";
import { requireVisible } from "../sessions/visitor.ts";
import type { Writes } from "../store.ts";

/** The session the request belongs to: the caller's own, of this schema, or a new one. */
export async function openSession(
  ctx: Context,
  tx: Writes,
  { session_id, schema_id, user_sub, message = "" }: TurnJob,
): Promise<void> {
  const now = ctx.now().toISOString();
  const session = await tx.sessions.get(session_id);
  if (!session) {
    await tx.sessions.insert({
      id: session_id,
      title: titleOf(message),
      schema_id,
      user_sub,
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

/** To the minute: a busy schema must not cost a write per message. */
const NOTE_EVERY_MS = 60_000;

export async function noteUse(tx: Writes, schema: SchemaRecord, now: Date): Promise<void> {
  const last = schema.chat_last_fired_at ? Date.parse(schema.chat_last_fired_at) : 0;
  if (now.getTime() - last < NOTE_EVERY_MS) return;
  await tx.schemas.update(schema.id, { chat_last_fired_at: now.toISOString() });
}
