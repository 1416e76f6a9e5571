import { z } from "zod";
import type { Context } from "../context.ts";
import { badRequest, notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { readPage } from "../kernel/page.ts";
import { findByIdOrName } from "../kernel/reference.ts";
import { defineOperation } from "../operation.ts";
import type { Reads, Writes } from "../store.ts";
import { moveTask, refuseRestart, type TaskNote } from "./change.ts";
import { createTask as insertTask } from "./create.ts";
import type { TaskTrigger } from "./machine.ts";
import {
  TaskCreate,
  TaskCreated,
  TaskDetail,
  TaskItem,
  TaskKey,
  TaskPage,
  TaskPriority,
  TaskQuery,
  TaskReason,
  type TaskRecord,
  TaskText,
} from "./task.ts";

export const createTask = defineOperation({
  name: "tasks.create",
  summary: "Create a task",
  scope: "tasks",
  effect: "write",
  input: TaskCreate,
  output: TaskCreated,
  run: async (ctx, { agent_name, mode, parent_task_id, ...fields }) => {
    const task = await ctx.write(async (tx) => {
      const agent = await findByIdOrName(tx.agents, agent_name);
      if (!agent) throw badRequest(`agent_name: there is no agent "${agent_name}"`);
      return insertTask(ctx, tx, {
        ...fields,
        id: ctx.newId(),
        agent_id: agent.id,
        user_sub: ctx.principal.subject,
        session_id: undefined,
        mode: mode === "background" ? "background" : "interactive",
        parent_task_id: parent_task_id || undefined,
      });
    });
    ctx.services.tasks.wake();
    return { task_id: task.id, status: task.status };
  },
});

export const listTasks = defineOperation({
  name: "tasks.list",
  summary: "List tasks, newest first",
  scope: "tasks",
  effect: "read",
  input: TaskQuery,
  output: TaskPage,
  run: async ({ read }, query) => {
    const page = await readPage(read.tasks, { status: query.status || undefined }, query);
    return { ...page, data: page.data.map(toItem) };
  },
});

export const getTask = defineOperation({
  name: "tasks.get",
  summary: "Read a task",
  scope: "tasks",
  effect: "read",
  input: TaskKey,
  output: TaskDetail,
  run: async ({ read }, { id }) => toDetail(await requireTask(read, id)),
});

export const listSubtasks = defineOperation({
  name: "tasks.subtasks",
  summary: "List a task's direct subtasks, oldest first",
  scope: "tasks",
  effect: "read",
  input: TaskKey,
  output: z.array(TaskItem),
  run: async ({ read }, { id }) => {
    await requireTask(read, id);
    return (await read.tasks.listSubtasks(id)).map(toItem);
  },
});

export const approveTask = defineOperation({
  name: "tasks.approve",
  summary: "Approve a draft",
  scope: "tasks",
  effect: "write",
  input: TaskKey,
  output: Nothing,
  run: (ctx, { id }) => change(ctx, id, "approve"),
});

export const startTask = defineOperation({
  name: "tasks.start",
  summary: "Begin to work on an approved or pending task",
  scope: "tasks",
  effect: "write",
  input: TaskKey,
  output: Nothing,
  run: (ctx, { id }) => change(ctx, id, "start"),
});

export const completeTask = defineOperation({
  name: "tasks.complete",
  summary: "Complete a task that is in progress",
  scope: "tasks",
  effect: "write",
  input: TaskKey.extend({ result: TaskText.optional() }),
  output: Nothing,
  run: (ctx, { id, result }) => change(ctx, id, "complete", { result }),
});

export const failTask = defineOperation({
  name: "tasks.fail",
  summary: "End a task that is in progress without success",
  scope: "tasks",
  effect: "write",
  input: TaskKey.extend({ reason: TaskReason }),
  output: Nothing,
  run: (ctx, { id, reason }) => change(ctx, id, "fail", { reason }),
});

export const cancelTask = defineOperation({
  name: "tasks.cancel",
  summary: "Cancel a task with its subtasks; a turn that works on it is stopped",
  scope: "tasks",
  effect: "destroy",
  input: TaskKey.extend({ reason: TaskText.optional() }),
  output: Nothing,
  run: (ctx, { id, reason }) => change(ctx, id, "cancel", { reason }),
});

export const setTaskPriority = defineOperation({
  name: "tasks.priority",
  summary: "Set a task's priority: 0 normal, 1 high, 2 critical",
  scope: "tasks",
  effect: "write",
  input: TaskKey.extend({ priority: TaskPriority }),
  output: Nothing,
  run: (ctx, { id, priority }) =>
    ctx.write(async (tx) => {
      await requireTask(tx, id);
      await tx.tasks.update(id, { priority });
      return undefined;
    }),
});

async function change(
  ctx: Context,
  id: string,
  trigger: TaskTrigger,
  note: TaskNote = {},
): Promise<undefined> {
  const idle = await ctx.write(async (tx: Writes) => {
    const task = await requireTask(tx, id);
    if (trigger === "start") refuseRestart(task);
    return moveTask(ctx, tx, task, trigger, note);
  });
  await ctx.services.tasks.changed(idle);
  return undefined;
}

async function requireTask({ tasks }: Pick<Reads, "tasks">, id: string): Promise<TaskRecord> {
  const task = await tasks.get(id);
  if (!task) throw notFound("task", id);
  return task;
}

const toItem = (task: TaskRecord) => ({ ...task, agent_name: "" as const, source: "" as const });

const toDetail = (task: TaskRecord) => ({
  ...toItem(task),
  description: task.description || undefined,
  acceptance_criteria: unlessEmpty(task.acceptance_criteria),
  blocked_by: unlessEmpty(task.blocked_by),
  session_id: task.work_session_id,
});

const unlessEmpty = (list: readonly string[]): string[] | undefined =>
  list.length === 0 ? undefined : [...list];
