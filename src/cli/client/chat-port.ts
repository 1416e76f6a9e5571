import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { conflict, EngineError } from "#engine/kernel/error.ts";
import { listSchemas } from "#engine/schemas/operations.ts";
import { cancelTurn, getSession, listSessions } from "#engine/sessions/operations.ts";
import { respondToCall } from "#engine/sessions/respond.ts";
import type { ChatPort, ChatTarget } from "../chat/chat-session.ts";
import { PROGRAM } from "../next-command.ts";
import { type ListedSession, schemaNames } from "../sessions/find-session.ts";
import type { Client } from "./client.ts";

/** What the terminal chat needs of the world, through a client. */
export const portOf = (client: Client, target: ChatTarget): ChatPort => ({
  place: client.place,
  target,
  send: (message, session_id, watch) =>
    client.chat({ name: target.schema, message, ...(session_id ? { session_id } : {}) }, watch),
  resume: (session_id, { interrupt_id, answers }, watch) => {
    const resume_interrupt = { interrupt_id, payload: { answers } };
    return client.chat({ name: target.schema, session_id, resume_interrupt }, watch);
  },
  respond: async (id, call_id, answer) => {
    await client.call(respondToCall, { id, call_id, answers: [answer] });
  },
  join: (id, number, watch) => client.join(id, number, watch),
  upcoming: (id, wait) => client.upcoming(id, wait),
  cancel: async (id) => (await client.call(cancelTurn, { id })).status,
  history: async (id) => {
    const session = await client.call(getSession, { id });
    await requireSchema(client, session, target.schema);
    return session.events;
  },
  sessions: async () => {
    const { data } = await client.call(listSessions, {});
    return data;
  },
  schemas: () => client.call(listSchemas, {}),
  save: saveNew,
});

/** A session stays with the schema it began with. Throws `conflict` that names that one. */
export async function requireSchema(
  client: Client,
  { id, schema_id }: Pick<ListedSession, "id" | "schema_id">,
  schema: string,
): Promise<void> {
  if (schema_id === undefined) return;
  const names = await schemaNames(client);
  const own = names.get(schema_id);
  // Of a schema that was deleted, or that the token may not see, nothing can be said.
  if (own === undefined || own === schema) return;
  throw conflict(
    `session ${id} belongs to schema "${own}": ${PROGRAM} chat ${own} --session ${id}`,
  );
}

/** What was said is private, and no file is worth being overwritten by a slip. */
export async function saveNew(path: string, text: string): Promise<string> {
  const file = resolve(path.replace(/^~(?=\/)/, homedir()));
  try {
    await writeFile(file, text, { flag: "wx", mode: 0o600 });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code !== "EEXIST")
      throw new EngineError("unavailable", `cannot write: ${message}`, { cause });
    throw conflict(`${file} is there already; choose another name`);
  }
  return file;
}
