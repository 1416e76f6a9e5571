import type { ClientTurn } from "#cli/client/client.ts";
import { activeAsk } from "./asks.ts";
import type { ChatState } from "./chat-model.ts";
import {
  type ChatPort,
  messageOf,
  type SchemaSummary,
  type SessionSummary,
} from "./chat-session.ts";
import { clipboardSequence } from "./clipboard.ts";
import { lastAnswer, sessionMarkdown } from "./export-markdown.ts";
import { unfinishedTurn } from "./restored-entries.ts";
import { HELP } from "./slash-commands.ts";
import type { Dispatch, TurnDriver } from "./turn-driver.ts";

export interface CommandContext {
  readonly port: ChatPort;
  readonly state: ChatState;
  readonly dispatch: Dispatch;
  readonly driver: TurnDriver;
  quit(): void;
  /** Writes past the screen, for what the terminal itself shall do. */
  write(sequence: string): void;
}

const SESSIONS_SHOWN = 20;
const SHORT_ID = 8;

/** Does what a slash command says. Failures become entries of the transcript. */
export async function runCommand(
  name: string,
  argument: string,
  context: CommandContext,
): Promise<void> {
  try {
    await perform(name, argument, context);
  } catch (error) {
    context.dispatch({ type: "failed", message: messageOf(error) });
  }
}

async function perform(name: string, argument: string, context: CommandContext): Promise<void> {
  const { port, state, dispatch } = context;
  const note = (text: string) => dispatch({ type: "noted", text });
  switch (name) {
    case "help":
      return note(HELP);
    case "quit":
      return context.quit();
    case "details":
      return dispatch({ type: "details", expanded: !state.expanded });
    case "answer":
      if (!activeAsk(state)) return note("Nothing is asked at the moment.");
      return dispatch({ type: "ask_focus", focus: "ask", at: 0 });
    case "copy":
      return note(await copyAnswer(context));
    case "export":
      return note(await exportSession(argument, context));
    case "sessions":
      return note(sessionsText(await port.sessions()));
    case "schemas":
      return note(schemasText(await port.schemas(), port.target.schema));
    case "new":
      if (state.activity !== "idle") return note("An answer is being written: esc stops it.");
      return dispatch({ type: "session_left" });
    case "resume":
      if (state.activity !== "idle") return note("An answer is being written: esc stops it.");
      if (argument === "") return note("/resume ID: /sessions lists them.");
      return resumeSession(argument, context);
  }
}

async function copyAnswer({ port, state, write }: CommandContext): Promise<string> {
  const { session_id } = state;
  const answer = session_id && lastAnswer(await port.history(session_id));
  if (!answer) return "There is no answer to copy yet.";
  const sequence = clipboardSequence(answer);
  if (!sequence) return "The answer is too long for the clipboard: /export FILE writes it.";
  write(sequence);
  return `Copied ${answer.length} characters, if your terminal allows it (OSC 52).`;
}

async function exportSession(path: string, { port, state }: CommandContext): Promise<string> {
  const { session_id } = state;
  if (!session_id) return "There is nothing to export yet.";
  const file = path || `troupe-${session_id.slice(0, SHORT_ID)}.md`;
  const events = await port.history(session_id);
  const markdown = sessionMarkdown(port.target.schema, session_id, events);
  return `Written to ${await port.save(file, markdown)}`;
}

type SessionContext = Pick<CommandContext, "port" | "dispatch" | "driver">;

/** Opens the one session whose id begins so. Failures become entries of the transcript. */
export async function resumeSession(start: string, context: SessionContext): Promise<void> {
  const { port, dispatch } = context;
  // It may be too old to be listed.
  if (UUID.test(start)) return openSession(start, context);
  try {
    const found = findSession(start, await port.sessions());
    const [session, ...others] = found;
    if (session && others.length === 0) return await openSession(session.id, context);
    const message = session
      ? `More than one session begins so:\n${sessionsText(found)}`
      : `No session begins with ${start}: /sessions lists them.`;
    dispatch({ type: "failed", message });
  } catch (error) {
    dispatch({ type: "failed", message: messageOf(error) });
  }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Shows a session and goes on with it, also with a turn that runs or waits for an approval. */
async function openSession(
  session_id: string,
  { port, dispatch, driver }: SessionContext,
): Promise<void> {
  dispatch({ type: "loading" });
  try {
    const events = await port.history(session_id);
    const last = unfinishedTurn(events);
    const turn = last && (await joinTurn(session_id, last.number, { port, dispatch }));
    dispatch({ type: "restored", session_id, events: turn && last ? last.before : events });
    if (turn) await driver.join(turn);
  } catch (error) {
    dispatch({ type: "failed", message: messageOf(error) });
  }
}

/** A session can be read also where its turn cannot be followed. */
async function joinTurn(
  session_id: string,
  number: number,
  { port, dispatch }: Pick<CommandContext, "port" | "dispatch">,
): Promise<ClientTurn | undefined> {
  try {
    return await port.join(session_id, number, (change) =>
      dispatch({ type: "connection", change }),
    );
  } catch (error) {
    dispatch({ type: "failed", message: `Not followed: ${messageOf(error)}` });
    return undefined;
  }
}

const findSession = (start: string, sessions: readonly SessionSummary[]): SessionSummary[] =>
  sessions.filter(({ id }) => id.startsWith(start.toLowerCase()));

function sessionsText(sessions: readonly SessionSummary[]): string {
  if (sessions.length === 0) return "There are no sessions yet.";
  const shown = sessions.slice(0, SESSIONS_SHOWN);
  const rows = shown.map(
    ({ id, title, updated_at }) => `${shortId(id, shown)}  ${dateText(updated_at)}  ${title ?? ""}`,
  );
  const more = sessions.length - shown.length;
  return [...rows, ...(more > 0 ? [`and ${more} older`] : []), "/resume ID goes on with one"].join(
    "\n",
  );
}

/** As much of an id as tells it from the others; ids made at one time begin alike. */
function shortId(id: string, sessions: readonly SessionSummary[]): string {
  for (let length = SHORT_ID; length < id.length; length += 1) {
    const start = id.slice(0, length);
    if (sessions.every((other) => other.id === id || !other.id.startsWith(start))) return start;
  }
  return id;
}

const dateText = (timestamp: string): string => timestamp.slice(0, 16).replace("T", " ");

const schemasText = (schemas: readonly SchemaSummary[], present: string): string =>
  [
    ...schemas
      .filter(({ chat_enabled }) => chat_enabled !== false)
      .map(({ name, description }) =>
        `${name === present ? "* " : "  "}${name}  ${description ?? ""}`.trimEnd(),
      ),
    "troupe chat NAME talks to another one",
  ].join("\n");
