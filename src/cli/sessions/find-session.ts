import type { z } from "zod";
import { EngineError, notFound } from "#engine/kernel/error.ts";
import { isUuid } from "#engine/kernel/fields.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import { getSchema, listSchemas } from "#engine/schemas/operations.ts";
import { listSessions } from "#engine/sessions/operations.ts";
import type { Session } from "#engine/sessions/session.ts";
import type { Client } from "../client/client.ts";
import { usageError } from "../output.ts";

export type ListedSession = z.output<typeof Session>;

/** Sessions, last updated first, page by page: most questions are answered by the first. */
export async function* eachSession(
  client: Client,
  filter: { readonly status?: string | undefined } = {},
): AsyncGenerator<ListedSession> {
  for (let page = 1; ; page += 1) {
    const found = await client.call(listSessions, {
      ...filter,
      page,
      per_page: LIMITS.sessions_page.max,
    });
    yield* found.data;
    if (page >= found.total_pages) return;
  }
}

/** The id of the one session whose id begins so. */
export async function requireSessionId(client: Client, start: string): Promise<string> {
  if (isUuid(start)) return start.toLowerCase();
  const found: string[] = [];
  for await (const { id } of eachSession(client)) {
    if (id.startsWith(start.toLowerCase())) found.push(id);
  }
  const [only, ...others] = found;
  if (!only) throw notFound("session", start);
  if (others.length === 0) return only;
  throw usageError(`more than one session begins so: ${found.slice(0, SHOWN).join(", ")}`);
}

const SHOWN = 5;

/** The session of a schema that was used last; those of background tasks are no conversations. */
export async function newestSession(client: Client, schema: string): Promise<string> {
  const { id: schema_id } = await client.call(getSchema, { name: schema });
  for await (const session of eachSession(client)) {
    const is_task = session.metadata.task_id !== undefined;
    if (session.schema_id === schema_id && !is_task) return session.id;
  }
  throw new EngineError("not_found", `there is no session with schema ${schema} yet`);
}

/** The names of schemas by id; none for a token that may not read them. */
export async function schemaNames(client: Client): Promise<ReadonlyMap<string, string>> {
  const schemas = await client.call(listSchemas, {}).catch((error: unknown) => {
    if (error instanceof EngineError && error.code === "forbidden") return [];
    throw error;
  });
  return new Map(schemas.map(({ id, name }) => [id, name]));
}
