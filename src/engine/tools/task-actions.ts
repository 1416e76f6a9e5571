import { badRequest, conflict, notFound } from "../kernel/error.ts";
import { uuidOf } from "../kernel/ids.ts";
import { findByIdOrName } from "../kernel/reference.ts";
import type { Reads, Writes } from "../store.ts";
import { loseIfBlocked, moveTask, refuseRestart, type TaskNote } from "../tasks/change.ts";
import { countOpen, createTask, refuseCycle } from "../tasks/create.ts";
import { isTerminal, type TaskTrigger, triggerTo } from "../tasks/machine.ts";
import type { TaskRecord } from "../tasks/task.ts";
import type { ManageTasksInput, TaskAction } from "./task-input.ts";
import type { ToolContext } from "./tool.ts";

type Action = (input: ManageTasksInput, ctx: ToolContext) => Promise<string>;

const move =
  (trigger: TaskTrigger): Action =>
  (input, ctx) =>
    moveOwn(ctx, input, trigger);

/** Each action's text for the model. What can't be done is thrown, and becomes an error result. */
export const PERFORM: Readonly<Record<TaskAction, Action>> = {
  create: (input, ctx) => create(ctx, input, input.tasks ?? [input], undefined),
  create_subtask: (input, ctx) => create(ctx, input, [input], required(input, "parent_task_id")),
  update,
  get: async (input, ctx) => describe(await own(ctx.read, ctx, required(input, "task_id"))),
  list: async ({ status }, { read, session_id }) =>
    toList((await read.tasks.listBySession(session_id)).filter(has(status)), "There are no tasks."),
  list_subtasks: async (input, ctx) => {
    const { id } = await own(ctx.read, ctx, required(input, "task_id"));
    return toList(await ctx.read.tasks.listSubtasks(id), "The task has no subtasks.");
  },
  get_ready: async (_input, ctx) => toList(await listReady(ctx), "No task is ready."),
  get_next: async (_input, ctx) => {
    const tasks = await ctx.read.tasks.listBySession(ctx.session_id);
    const [next] = [...tasks.filter(has("in_progress")).sort(byUrgency), ...(await listReady(ctx))];
    return next ? describe(next) : "There is nothing to do next.";
  },
  approve: move("approve"),
  start: move("start"),
  complete: move("complete"),
  fail: (input, ctx) => {
    required(input, "reason");
    return moveOwn(ctx, input, "fail");
  },
  cancel: move("cancel"),
  set_status: (input, ctx) => {
    const trigger = triggerTo(required(input, "status"));
    if (!trigger) throw conflict(`no task can be set to ${input.status}: it can only begin so`);
    return moveOwn(ctx, input, trigger);
  },
  set_priority: async (input, ctx) => {
    const priority = required(input, "priority");
    return changeOwn(ctx, input, async (tx, { id }) => tx.tasks.update(id, { priority }));
  },
  assign: async (input, ctx) => {
    const reference = required(input, "agent_id");
    const agent = await findByIdOrName(ctx.read.agents, reference);
    if (!agent) throw notFound("agent", reference);
    return changeOwn(ctx, input, async (tx, { id }) => tx.tasks.update(id, { agent_id: agent.id }));
  },
};

async function create(
  ctx: ToolContext,
  { require_approval }: ManageTasksInput,
  wanted: readonly Pick<ManageTasksInput, NewFields>[],
  parent_task_id: string | undefined,
): Promise<string> {
  const { session_id, agent_id, user_sub, call_id } = ctx;
  const created = await ctx.write(async (tx) => {
    if (parent_task_id !== undefined) await own(tx, ctx, parent_task_id);
    const tasks: TaskRecord[] = [];
    for (const [index, fields] of wanted.entries()) {
      // The call's own id: when a crash has it repeated, it creates nothing twice.
      const id = uuidOf(`${session_id} ${call_id} ${index}`);
      const { title = required(fields, "title"), mode = "interactive", ...rest } = pick(fields);
      for (const blocker of rest.blocked_by ?? []) await own(tx, ctx, blocker);
      const known = await tx.tasks.get(id);
      const place = { id, session_id, agent_id, user_sub, parent_task_id, require_approval };
      tasks.push(known ?? (await createTask(ctx, tx, { ...rest, ...place, title, mode })));
    }
    return tasks;
  });
  ctx.tasks.wake();
  const count = created.length === 1 ? "1 task" : `${created.length} tasks`;
  return `Created ${count}:\n${created.map(toLine).join("\n")}`;
}

type NewFields =
  | "title"
  | "description"
  | "acceptance_criteria"
  | "priority"
  | "blocked_by"
  | "mode";

const pick = (fields: Pick<ManageTasksInput, NewFields>): Pick<ManageTasksInput, NewFields> => {
  const { title, description, acceptance_criteria, priority, blocked_by, mode } = fields;
  return { title, description, acceptance_criteria, priority, blocked_by, mode };
};

function update(input: ManageTasksInput, ctx: ToolContext): Promise<string> {
  const { mode, ...fields } = pick(input);
  const changes = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (changes.length === 0) throw badRequest("there is nothing to update: name the fields");
  const { blocked_by } = input;
  return changeOwn(ctx, input, async (tx, task) => {
    for (const blocker of blocked_by ?? []) await own(tx, ctx, blocker);
    if (blocked_by) await refuseCycle(tx, task.id, blocked_by);
    const open_blockers = blocked_by && (await countOpen(tx, blocked_by));
    await tx.tasks.update(task.id, {
      ...Object.fromEntries(changes),
      ...(open_blockers === undefined ? {} : { open_blockers }),
    });
    await loseIfBlocked(ctx, tx, await own(tx, ctx, task.id));
  });
}

async function changeOwn(
  ctx: ToolContext,
  input: ManageTasksInput,
  work: (tx: Writes, task: TaskRecord) => Promise<void>,
): Promise<string> {
  const task_id = required(input, "task_id");
  const changed = await ctx.write(async (tx) => {
    const task = await own(tx, ctx, task_id);
    if (isTerminal(task.status))
      throw conflict(`the task is ${task.status}: nothing can change it`);
    await work(tx, task);
    return own(tx, ctx, task_id);
  });
  ctx.tasks.wake();
  return `Changed:\n${toLine(changed)}`;
}

async function moveOwn(
  ctx: ToolContext,
  input: ManageTasksInput,
  trigger: TaskTrigger,
): Promise<string> {
  const task_id = required(input, "task_id");
  const note: TaskNote = { result: input.result, reason: input.reason };
  const { idle, task, is_moved } = await ctx.write(async (tx) => {
    const before = await own(tx, ctx, task_id);
    // Repeated after a crash, or by a forgetful model: it is where it should be.
    if (triggerTo(before.status) === trigger) return { idle: [], task: before, is_moved: false };
    if (trigger === "start") refuseRestart(before);
    const sessions = await moveTask(ctx, tx, before, trigger, note);
    return { idle: sessions, task: await own(tx, ctx, task_id), is_moved: true };
  });
  // The turn that says so may end in peace, also when it worked on the task itself.
  await ctx.tasks.changed(idle.filter((session_id) => session_id !== ctx.session_id));
  return `${is_moved ? "Changed" : "It was so already"}:\n${toLine(task)}`;
}

/** Another session's task is not found, so that its existence does not show. */
async function own(
  { tasks }: Pick<Reads, "tasks">,
  { session_id }: ToolContext,
  id: string,
): Promise<TaskRecord> {
  const task = await tasks.get(id);
  if (task && (task.session_id === session_id || task.work_session_id === session_id)) return task;
  throw notFound("task", id);
}

/** Neither begun nor blocked: a blocker that ended in whatever way holds nothing up (contract 3). */
async function listReady({ read, session_id }: ToolContext): Promise<TaskRecord[]> {
  const tasks = await read.tasks.listBySession(session_id);
  return tasks
    .filter(({ status, open_blockers }) => isWaiting(status) && open_blockers === 0)
    .sort(byUrgency);
}

const isWaiting = (status: TaskRecord["status"]) => status === "pending" || status === "approved";

/** The sort is stable: among equals the oldest comes first. */
const byUrgency = (left: TaskRecord, right: TaskRecord) => right.priority - left.priority;

const has = (wanted: TaskRecord["status"] | undefined) => (task: TaskRecord) =>
  wanted === undefined || task.status === wanted;

function required<Input extends object, Field extends keyof Input>(
  input: Input,
  field: Field,
): NonNullable<Input[Field]> {
  const value = input[field];
  if (value === undefined || value === null || value === "") {
    throw badRequest(`${String(field)} is required for this action`);
  }
  return value;
}

const toList = (tasks: readonly TaskRecord[], none: string): string =>
  tasks.length === 0 ? none : tasks.map(toLine).join("\n");

const toLine = ({ id, title, status, priority }: TaskRecord): string =>
  `- [${status}] ${title} (id ${id}, priority ${priority})`;

function describe(task: TaskRecord): string {
  const { description, acceptance_criteria, blocked_by, parent_task_id, result, error } = task;
  const lines: readonly [string, string | undefined][] = [
    ["Description", description],
    ["Acceptance criteria", acceptance_criteria.map((criterion) => `\n  - ${criterion}`).join("")],
    ["Blocked by", blocked_by.join(", ")],
    ["Subtask of", parent_task_id],
    ["Result", result],
    ["Reason", error],
  ];
  const told = lines.flatMap(([name, value]) => (value ? `${name}: ${value}` : []));
  return [toLine(task), ...told].join("\n");
}
