import { Command, InvalidArgumentError, Option } from "commander";
import { LIMITS } from "#engine/kernel/limits.ts";
import { getSchema } from "#engine/schemas/operations.ts";
import { deleteSession, getSession } from "#engine/sessions/operations.ts";
import { SessionStatus } from "#engine/sessions/session.ts";
import { sessionMarkdown } from "../chat/export-markdown.ts";
import { saveNew } from "../client/chat-port.ts";
import type { Client } from "../client/client.ts";
import type { ConnectFlags } from "../client/connect.ts";
import { note, print, printJson } from "../output.ts";
import {
  eachSession,
  type ListedSession,
  requireSessionId,
  schemaNames,
} from "../sessions/find-session.ts";
import { sessionTable } from "../sessions/show-sessions.ts";
import { clientOptions } from "./options.ts";
import { using } from "./using.ts";

interface Flags extends ConnectFlags {
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  troupe sessions list --schema demo
  troupe sessions get 01a1fe98                    the conversation; the start of an id is enough
  troupe sessions export 01a1fe98 talk.md         the same, into a new file that only you can read
  troupe sessions rm 01a1fe98
  troupe chat demo --session 01a1fe98             go on with it`;

export function sessionsCommand(): Command {
  const command = new Command("sessions")
    .description("Sessions: what was said with a schema's agents")
    .addHelpText("after", EXAMPLES);
  clientOptions(command.command("list"))
    .description("List sessions, last updated first")
    .option("--schema <name>", "only those with this schema")
    .addOption(new Option("--status <status>", "only these").choices(SessionStatus.options))
    .option("--limit <n>", `how many at most (${LIMITS.sessions_page.default})`, toCount)
    .action(list);
  clientOptions(command.command("get"))
    .description("Show a session's conversation, as markdown; with --json, its events")
    .argument("<id>", "the session's id, or how it begins")
    .action(get);
  clientOptions(command.command("export"))
    .description("Write a session's conversation into a new file; with --json, its events")
    .argument("<id>", "the session's id, or how it begins")
    .argument("[file]", "the file; one that is there is kept (default: troupe-ID.md)")
    .action(exportSession);
  clientOptions(command.command("rm"))
    .description("Delete a session with its events; a running turn is stopped")
    .argument("<id>", "the session's id, or how it begins")
    .action(remove);
  return command;
}

interface ListFlags extends Flags {
  readonly schema?: string;
  readonly status?: string;
  readonly limit?: number;
}

function toCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError("It must be a number from 1 on.");
}

async function list(flags: ListFlags): Promise<void> {
  const { found, names } = await using(flags, async (client) => ({
    found: await listed(client, flags),
    names: await schemaNames(client),
  }));
  if (flags.json) return void printJson(found);
  if (found.length === 0) return void note("No sessions: troupe chat SCHEMA begins one.");
  print(sessionTable(found, names));
}

async function listed(
  client: Client,
  { schema, status, limit = LIMITS.sessions_page.default }: ListFlags,
): Promise<ListedSession[]> {
  const schema_id = schema && (await client.call(getSchema, { name: schema })).id;
  const found: ListedSession[] = [];
  for await (const session of eachSession(client, { status })) {
    if (schema_id && session.schema_id !== schema_id) continue;
    found.push(session);
    if (found.length === limit) break;
  }
  return found;
}

const read = (start: string, flags: Flags) =>
  using(flags, async (client) => {
    const session = await client.call(getSession, { id: await requireSessionId(client, start) });
    const schema = (await schemaNames(client)).get(session.schema_id ?? "");
    const text = () => sessionMarkdown(schema ?? "agents", session.id, session.events);
    return { session, text };
  });

async function get(start: string, flags: Flags): Promise<void> {
  const { session, text } = await read(start, flags);
  if (flags.json) return void printJson(session);
  print(text().trimEnd());
}

const SHORT_ID = 8;

async function exportSession(start: string, file: string | undefined, flags: Flags): Promise<void> {
  const { session, text } = await read(start, flags);
  const name = `troupe-${session.id.slice(0, SHORT_ID)}.${flags.json ? "json" : "md"}`;
  const whole = flags.json ? `${JSON.stringify(session, undefined, 2)}\n` : text();
  note(`Written to ${await saveNew(file ?? name, whole)}`);
}

async function remove(start: string, flags: Flags): Promise<void> {
  const id = await using(flags, async (client) => {
    const found = await requireSessionId(client, start);
    await client.call(deleteSession, { id: found });
    return found;
  });
  if (flags.json) return void printJson({ id, deleted: true });
  note(`Session ${id} is deleted.`);
}
