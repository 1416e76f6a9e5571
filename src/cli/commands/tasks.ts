import { Command, InvalidArgumentError, Option } from "commander";
import { parseInput } from "#engine/operation.ts";
import { TASK_STATUSES } from "#engine/tasks/machine.ts";
import {
  approveTask,
  cancelTask,
  completeTask,
  createTask,
  failTask,
  getTask,
  listSubtasks,
  listTasks,
  setTaskPriority,
  startTask,
} from "#engine/tasks/operations.ts";
import { sanitizeLine } from "../chat/sanitize.ts";
import { canDraw } from "../chat/terminal-features.ts";
import { type Client, isServer } from "../client/client.ts";
import type { ConnectFlags } from "../client/connect.ts";
import { nextCommand } from "../next-command.ts";
import { EXIT, note, print, printJson, type SetExitCode, usageError } from "../output.ts";
import { detailText, itemTable } from "../tasks/show-tasks.ts";
import { waitForTask } from "../tasks/wait.ts";
import { clientOptions } from "./options.ts";
import { using } from "./using.ts";

interface Flags extends ConnectFlags {
  readonly json?: boolean;
}

interface CreateFlags extends Flags {
  readonly agent: string;
  readonly description?: string;
  readonly criteria?: readonly string[];
  readonly priority?: number;
  readonly requireApproval?: boolean;
  readonly blockedBy?: readonly string[];
  readonly parent?: string;
  readonly background?: boolean;
  readonly wait?: boolean;
}

const EXAMPLES = `
Examples:
  troupe tasks create "Read the mail" --agent helper
  troupe tasks create "Sum up the report" --agent helper --background --wait
  troupe tasks create Ship --agent helper --priority 2 --criteria "It is tested" --blocked-by ID
  troupe tasks list --status in_progress
  troupe tasks start ID && troupe tasks complete ID --result "Done by hand"
  troupe tasks watch                        a live board in this terminal`;

const CREATE_HELP = `
A background task is done by a server: it gives the task to the agent as a message, in a session of its own. Where
no server runs, --wait does it in this process. With --wait, progress goes to standard error, the result to standard
output, and the exit code is 0 for completed, 1 for failed or cancelled.`;

export function tasksCommand(exit: SetExitCode): Command {
  const command = new Command("tasks")
    .description("Tasks: work for agents and people, with states, blockers and approval")
    .addHelpText("after", EXAMPLES);
  createCommand(command, exit);
  clientOptions(command.command("list"))
    .description("List tasks, newest first")
    .addOption(new Option("--status <status>", "only those with it").choices(TASK_STATUSES))
    .option("--page <number>", "which page", toInteger)
    .option("--per-page <number>", "how many on a page, at most 100", toInteger)
    .action(list);
  onOne(command, "get", "Show a task with everything that is known of it").action(get);
  onOne(command, "subtasks", "List a task's direct subtasks").action(subtasks);
  changeCommands(command);
  clientOptions(command.command("watch"))
    .description("Watch tasks as a board, or as lines when there is no terminal; q quits")
    .action(watch);
  return command;
}

function createCommand(command: Command, exit: SetExitCode): void {
  clientOptions(command.command("create"))
    .description("Create a task; its id is printed")
    .argument("<title>", "what is to be done")
    .requiredOption("--agent <name>", "the agent that works on it, by name or id")
    .option("--description <text>", "everything the agent should know")
    .option("--criteria <text>", "when it is done well; repeat for several", collect)
    .option("--priority <number>", "0 normal, 1 high, 2 critical", toInteger)
    .option("--require-approval", "begin as a draft that somebody must approve")
    .option("--blocked-by <id>", "a task to be completed before; repeat for several", collect)
    .option("--parent <id>", "the task that this is a part of")
    .option("--background", "let a server do it, instead of whoever starts it")
    .option("--wait", "wait for the end and exit by it")
    .addHelpText("after", CREATE_HELP)
    .action(async (title: string, flags: CreateFlags) => exit(await create(title, flags)));
}

function changeCommands(command: Command): void {
  onOne(command, "approve", "Approve a draft").action((id: string, flags: Flags) =>
    change(id, flags, "approved", (client) => client.call(approveTask, { id })),
  );
  onOne(command, "start", "Begin to work on a task").action((id: string, flags: Flags) =>
    change(id, flags, "in progress", (client) => client.call(startTask, { id })),
  );
  onOne(command, "complete", "Complete a task that is in progress")
    .option("--result <text>", "what came of it")
    .action((id: string, { result, ...flags }: Flags & { result?: string }) =>
      change(id, flags, "completed", (client) => client.call(completeTask, { id, result })),
    );
  onOne(command, "fail", "End a task that is in progress without success")
    .requiredOption("--reason <text>", "why")
    .action((id: string, { reason, ...flags }: Flags & { reason: string }) =>
      change(id, flags, "failed", (client) => client.call(failTask, { id, reason })),
    );
  onOne(command, "cancel", "Cancel a task with its subtasks; a running turn is stopped")
    .option("--reason <text>", "why")
    .action((id: string, { reason, ...flags }: Flags & { reason?: string }) =>
      change(id, flags, "cancelled", (client) => client.call(cancelTask, { id, reason })),
    );
  onOne(command, "priority", "Set a task's priority")
    .argument("<number>", "0 normal, 1 high, 2 critical", toInteger)
    .action((id: string, priority: number, flags: Flags) =>
      change(id, flags, `priority ${priority}`, (client) =>
        client.call(setTaskPriority, { id, priority }),
      ),
    );
}

const onOne = (command: Command, name: string, description: string): Command =>
  clientOptions(command.command(name)).description(description).argument("<id>", "the task's id");

const collect = (value: string, sofar: readonly string[] = []) => [...sofar, value];

function toInteger(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

async function create(title: string, flags: CreateFlags): Promise<number> {
  const { agent, description, criteria, priority, requireApproval, blockedBy, parent } = flags;
  const input = {
    title,
    agent_name: agent,
    description,
    acceptance_criteria: criteria && [...criteria],
    priority,
    require_approval: requireApproval,
    blocked_by: blockedBy && [...blockedBy],
    parent_task_id: parent,
    mode: flags.background ? "background" : "interactive",
  };
  checkUsage(input);
  return usingServer(flags, async (client) => {
    const created = await client.call(createTask, input);
    if (flags.wait) return waitForTask(client, created.task_id, flags);
    if (flags.json) printJson(created);
    else print(created.task_id);
    if (created.status === "draft") {
      note(`It waits for: ${nextCommand(["tasks", "approve", created.task_id], flags)}`);
    } else if (flags.background && !isServer(client.place)) {
      note(
        `No server runs on this directory: the task begins when one does: ${nextCommand(["serve"], flags)}`,
      );
    }
    return EXIT.done;
  });
}

/** What is typed wrong is told before anything is reached. */
function checkUsage(input: unknown): void {
  try {
    parseInput(createTask.input, input);
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function list({
  status,
  page,
  perPage,
  ...flags
}: Flags & { status?: string; page?: number; perPage?: number }) {
  const found = await usingServer(flags, (client) =>
    client.call(listTasks, { status, page, per_page: perPage }),
  );
  if (flags.json) return void printJson(found);
  if (found.data.length === 0) return void note(noTasks(status, found.total));
  print(itemTable(found.data));
  if (found.total_pages > 1) {
    note(`Page ${found.page} of ${found.total_pages}, ${found.total} tasks in all: --page N`);
  }
}

function noTasks(status: string | undefined, total: number): string {
  if (total > 0) return `There is nothing on this page of ${total} tasks.`;
  if (status !== undefined) return `No task is ${status}.`;
  return "No tasks here: troupe tasks create TITLE --agent NAME";
}

async function get(id: string, flags: Flags) {
  const task = await usingServer(flags, (client) => client.call(getTask, { id }));
  if (flags.json) printJson(task);
  else print(detailText(task));
}

async function subtasks(id: string, flags: Flags) {
  const found = await usingServer(flags, (client) => client.call(listSubtasks, { id }));
  if (flags.json) printJson(found);
  else if (found.length === 0) note("The task has no subtasks.");
  else print(itemTable(found));
}

async function change(
  id: string,
  flags: Flags,
  state: string,
  work: (client: Client) => Promise<unknown>,
) {
  const task = await usingServer(flags, async (client) => {
    await work(client);
    return client.call(getTask, { id });
  });
  if (flags.json) printJson(task);
  else note(`Task "${sanitizeLine(task.title)}" is ${state}.`);
}

async function watch(flags: Flags): Promise<void> {
  await usingServer(flags, async (client) => {
    const load = () => client.call(listTasks, {});
    const is_drawn = canDraw(process.stdin, process.stdout, process.env) && !flags.json;
    if (is_drawn) {
      const { runTaskBoard } = await import("../chat/run-task-board.tsx");
      return runTaskBoard({ place: client.place, load, environment: process.env });
    }
    const { printChanges } = await import("../tasks/print-changes.ts");
    return printChanges(load, flags.json === true);
  });
}

/** Where a server runs on the directory, it is asked: only it knows what it works on. */
const usingServer = <Result>(flags: Flags, work: (client: Client) => Promise<Result>) =>
  using(flags, work, { prefer_server: true });
