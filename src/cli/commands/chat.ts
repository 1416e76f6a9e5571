import { createHash } from "node:crypto";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { Command, Option } from "commander";
import { getAgent } from "#engine/agents/operations.ts";
import { EngineError } from "#engine/kernel/error.ts";
import { isUuid } from "#engine/kernel/fields.ts";
import { getSchema, listSchemas } from "#engine/schemas/operations.ts";
import { cancelTurn, getSession } from "#engine/sessions/operations.ts";
import type { ChatTarget } from "../chat/chat-session.ts";
import { connectionNotice } from "../chat/connection-notice.ts";
import { canDraw } from "../chat/terminal-features.ts";
import { portOf, requireSchema } from "../client/chat-port.ts";
import type { Client, ConnectionChange } from "../client/client.ts";
import { type ConnectFlags, connect } from "../client/connect.ts";
import { nextCommand } from "../next-command.ts";
import { EXIT, note, type SetExitCode, usageError } from "../output.ts";
import { newestSession, requireSessionId } from "../sessions/find-session.ts";
import { defaultDataDirectory } from "../settings/load-config.ts";
import { clientOptions } from "./options.ts";

interface ChatFlags extends ConnectFlags {
  readonly message?: string;
  readonly session?: string;
  readonly continue?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  troupe chat demo                              chat in this terminal
  troupe chat demo -m "Where is my data?"       one answer on standard output
  git diff | troupe chat demo -m "Review this"  standard input is added to the message
  troupe chat demo --continue -m "And then?"    in the newest session
  troupe chat demo -m hi --json                 every event as a line of JSON

With -m the exit code is 0 after a whole answer, 1 after a failure, and 3 when the turn waits for a form or an
approval: standard error says what is asked and which command answers it.`;

export const chatCommand = (exit: SetExitCode): Command =>
  clientOptions(new Command("chat"))
    .description("Chat with a schema's agents, in this terminal or from a script")
    .argument("[schema]", "the schema's name; may be left out when there is only one")
    .option("-m, --message <text>", "send this one message and print the answer")
    .addOption(
      new Option(
        "--session <id>",
        "go on with this session; the start of its id is enough",
      ).conflicts("continue"),
    )
    .option("--continue", "go on with the newest session of the schema")
    .addHelpText("after", EXAMPLES)
    .action(async (schema: string | undefined, flags: ChatFlags) =>
      exit(await chat(schema, flags)),
    );

async function chat(name: string | undefined, given: ChatFlags): Promise<number> {
  const message = await messageOf(given);
  const client = await connect(given, process.env, { prefer_server: true });
  try {
    const schema = name ?? (await onlySchema(client));
    const session = await sessionOf(client, schema, given);
    const flags = session === undefined ? given : { ...given, session };
    if (message === undefined) return await interactive(client, schema, flags);
    return await plain(client, schema, message, flags);
  } finally {
    await client.close();
  }
}

/** The id of the session to go on with. */
async function sessionOf(client: Client, schema: string, flags: ChatFlags) {
  if (flags.continue) return explained(client, schema, () => newestSession(client, schema));
  if (flags.session === undefined || isUuid(flags.session)) return flags.session;
  return requireSessionId(client, flags.session);
}

/** What to send; undefined when a person is there to type it. */
async function messageOf({ message, json }: ChatFlags): Promise<string | undefined> {
  const { stdin, stdout } = process;
  const piped = stdin.isTTY ? "" : (await readAll(stdin)).trimEnd();
  const whole = [message, piped].filter(Boolean).join("\n\n");
  if (whole) return whole;
  if (canDraw(stdin, stdout, process.env) && message === undefined && !json) return undefined;
  throw usageError(
    "there is no message: pass -m TEXT, or pipe one in; without a terminal chat is not interactive",
  );
}

async function onlySchema(client: Client): Promise<string> {
  const found = await client.call(listSchemas, {}).catch(unlessForbidden);
  if (!found) throw usageError("name the schema: this token may not list them (schemas:read)");
  const schemas = found.filter(({ chat_enabled }) => chat_enabled);
  const [only, ...others] = schemas;
  if (only && others.length === 0) return only.name;
  const names = schemas.map(({ name }) => name).join(", ");
  if (only) throw usageError(`name one of the schemas: ${names}`);
  throw new EngineError(
    "not_found",
    "there is no schema to chat with; `troupe serve --demo` makes one",
  );
}

async function plain(client: Client, schema: string, message: string, flags: ChatFlags) {
  const { runPlainChat } = await import("../chat/run-plain.ts");
  const interrupt = onInterrupt(client);
  try {
    const session = flags.session ? { session_id: flags.session } : {};
    const watch = (change: ConnectionChange) => note(connectionNotice(change));
    const turn = await explained(client, schema, () =>
      client
        .chat({ name: schema, message, ...session }, watch)
        .catch((error) => refused(error, client, schema, flags.session)),
    );
    interrupt.stops(turn.session_id);
    const code = await runPlainChat({
      turn,
      place: client.place,
      schema,
      resume_command: resumeCommand(schema, turn.session_id, flags),
      json: flags.json === true,
      stdout: process.stdout,
      stderr: process.stderr,
    });
    return interrupt.came() ? EXIT.interrupted : code;
  } finally {
    interrupt.off();
  }
}

/** A session that is not found may be one of another schema. Throws what is known. */
async function refused(
  error: unknown,
  client: Client,
  schema: string,
  session: string | undefined,
): Promise<never> {
  const is_missing = error instanceof EngineError && error.code === "not_found";
  if (!is_missing || session === undefined) throw error;
  const found = await client.call(getSession, { id: session }).catch(() => undefined);
  if (found) await requireSchema(client, found, schema);
  throw error;
}

/**
 * Ctrl+C from the first moment on: the turn is stopped as soon as it is known which it is, its end ends
 * the stream, and so the command. A second one, or a server that is gone, ends the command at once.
 */
function onInterrupt(client: Client) {
  let session_id: string | undefined;
  let has_come = false;
  const leave = () => process.exit(EXIT.interrupted);
  const cancel = (id: string) => void client.call(cancelTurn, { id }).catch(leave);
  const take = () => {
    if (has_come) leave();
    has_come = true;
    if (session_id) cancel(session_id);
    else note("Stopping as soon as the server answers; Ctrl+C again leaves at once.");
  };
  process.on("SIGINT", take);
  return {
    stops(id: string): void {
      session_id = id;
      if (has_come) cancel(id);
    },
    came: () => has_come,
    off: () => void process.off("SIGINT", take),
  };
}

async function interactive(client: Client, schema: string, flags: ChatFlags): Promise<number> {
  const target = await explained(client, schema, () => targetOf(client, schema));
  const [{ runInteractiveChat }, { openHistory }] = await Promise.all([
    import("../chat/run-interactive.tsx"),
    import("../chat/prompt-history-file.ts"),
  ]);
  const { exit_code, session_id } = await runInteractiveChat({
    port: portOf(client, target),
    session_id: flags.session,
    history: await openHistory(historyFile(client.place)),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    environment: process.env,
  });
  if (session_id) note(`To go on with this session: ${resumeCommand(schema, session_id, flags)}`);
  return exit_code;
}

const resumeCommand = (schema: string, session_id: string, flags: ChatFlags): string =>
  nextCommand(["chat", schema, "--session", session_id], flags);

async function targetOf(client: Client, name: string): Promise<ChatTarget> {
  const schema = await client.call(getSchema, { name }).catch(unlessForbidden);
  if (schema && !schema.chat_enabled) {
    throw new EngineError("not_found", `schema "${name}" has chat switched off`);
  }
  const agent_name = schema?.entry_agent_name;
  const agent = agent_name
    ? await client.call(getAgent, { name: agent_name }).catch(unlessForbidden)
    : undefined;
  return { schema: name, agent: agent?.name, model: agent?.model };
}

/** A token that may only chat can do without the names in the header. */
function unlessForbidden(error: unknown): undefined {
  if (error instanceof EngineError && error.code === "forbidden") return undefined;
  throw error;
}

/** An unknown schema is told together with those there are. */
async function explained<Result>(
  client: Client,
  schema: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "not_found") throw error;
    const schemas = await client.call(listSchemas, {}).catch(() => undefined);
    if (!schemas) throw error;
    const names = schemas.filter(({ chat_enabled }) => chat_enabled).map(({ name }) => name);
    if (names.includes(schema)) throw error;
    const hint =
      names.length > 0
        ? `there are: ${names.join(", ")}`
        : "`troupe serve --demo` makes one to try";
    throw new EngineError("not_found", `${error.message}; ${hint}`);
  }
}

/** Prompts are remembered per place, so that one server's don't turn up at another. */
function historyFile(place: string): string {
  const name = createHash("sha256").update(place).digest("hex").slice(0, 16);
  return join(defaultDataDirectory(process.env), "history", name);
}
