import { setTimeout as delay } from "node:timers/promises";
import { listSchemas } from "#engine/schemas/operations.ts";
import { getSession } from "#engine/sessions/operations.ts";
import { getTask } from "#engine/tasks/operations.ts";
import type { TaskDetail } from "#engine/tasks/task.ts";
import { sanitize, sanitizeLine } from "../chat/sanitize.ts";
import { type Client, isServer } from "../client/client.ts";
import type { ConnectFlags } from "../client/connect.ts";
import { nextCommand } from "../next-command.ts";
import { EXIT, note, print, printJson } from "../output.ts";
import { patient } from "../patience.ts";

/** Looked at often in the beginning, then less: a server may limit how often one asks. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

interface WaitFlags extends ConnectFlags {
  readonly json?: boolean;
}

/**
 * Waits for a task's end: progress to standard error, its result to standard output. Where no server
 * runs, this process works on it. Returns the exit code.
 */
export async function waitForTask(client: Client, id: string, flags: WaitFlags): Promise<number> {
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  process.once("SIGINT", stop);
  try {
    await client.work();
    const task = await follow(client, id, flags, interrupt.signal);
    if (!task) {
      note(interruptedNote(client, id, flags));
      return EXIT.interrupted;
    }
    if (flags.json) printJson(task);
    else if (task.result) print(sanitize(task.result));
    return task.status === "completed" ? EXIT.done : EXIT.failed;
  } finally {
    process.off("SIGINT", stop);
  }
}

const interruptedNote = ({ place }: Client, id: string, flags: WaitFlags): string =>
  isServer(place)
    ? `Task ${id} goes on without this command: ${nextCommand(["tasks", "get", id], flags)}`
    : `Task ${id} goes on when a server runs on this directory: ${nextCommand(["serve"], flags)}`;

/** Undefined when it was interrupted. */
async function follow(
  client: Client,
  id: string,
  flags: WaitFlags,
  signal: AbortSignal,
): Promise<TaskDetail | undefined> {
  let seen = "";
  let pause_ms = FIRST_PAUSE_MS;
  const look = patient(() => client.call(getTask, { id }));
  while (!signal.aborted) {
    const task = await look();
    if (task && task.status !== seen) {
      seen = task.status;
      pause_ms = FIRST_PAUSE_MS;
      note(progressOf(task));
      if (task.status === "needs_input" && task.session_id)
        note(`Answer with: ${await answerCommand(client, task.session_id, flags)}`);
    }
    if (task?.completed_at) return task;
    await delay(pause_ms, undefined, { signal }).catch(() => undefined);
    pause_ms = Math.min(pause_ms * 1.5, LONGEST_PAUSE_MS);
  }
  return undefined;
}

/** A token that may only see tasks does not learn the schema's name. */
async function answerCommand(client: Client, id: string, flags: WaitFlags): Promise<string> {
  const named = async () => {
    const { schema_id } = await client.call(getSession, { id });
    return (await client.call(listSchemas, {})).find((schema) => schema.id === schema_id)?.name;
  };
  const schema = (await named().catch(() => undefined)) ?? "SCHEMA";
  return nextCommand(["chat", schema, "--session", id], flags);
}

/** What the status means for whoever waits. */
function progressOf({ id, status, error }: TaskDetail): string {
  switch (status) {
    case "draft":
      return `draft: it waits for \`troupe tasks approve ${id}\``;
    case "needs_input":
      return "needs_input: its agent asks something";
    case "failed":
    case "cancelled":
      return error ? `${status}: ${sanitizeLine(error)}` : status;
    default:
      return status;
  }
}
