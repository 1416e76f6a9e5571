import type { Context } from "../context.ts";
import { badRequest } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import type { Reads, Writes } from "../store.ts";
import { loseIfBlocked } from "./change.ts";
import { isTerminal } from "./machine.ts";
import type { TaskRecord } from "./task.ts";

/** A task as its maker wants it; what it needs to begin with is worked out here. */
export interface NewTask
  extends Pick<TaskRecord, "id" | "title" | "agent_id" | "user_sub" | "mode" | "session_id"> {
  readonly description?: string | undefined;
  readonly priority?: number | undefined;
  readonly acceptance_criteria?: readonly string[] | undefined;
  readonly blocked_by?: readonly string[] | undefined;
  readonly require_approval?: boolean | undefined;
  readonly parent_task_id?: string | undefined;
}

/** Throws `bad_request` for a parent or blockers that it can't have. */
export async function createTask(
  ctx: Pick<Context, "now" | "newId">,
  tx: Writes,
  { require_approval = false, ...fields }: NewTask,
): Promise<TaskRecord> {
  const { blocked_by = [], parent_task_id } = fields;
  const task: TaskRecord = {
    ...fields,
    description: fields.description ?? "",
    priority: fields.priority ?? 0,
    acceptance_criteria: fields.acceptance_criteria ?? [],
    blocked_by,
    parent_task_id,
    depth: await depthBelow(tx, parent_task_id),
    open_blockers: await countOpen(tx, blocked_by),
    status: require_approval ? "draft" : "pending",
    created_at: ctx.now().toISOString(),
  };
  await tx.tasks.insert(task);
  await loseIfBlocked(ctx, tx, task);
  return task;
}

type TaskStore = Pick<Reads, "tasks">;

async function depthBelow({ tasks }: TaskStore, parent_id: string | undefined): Promise<number> {
  if (parent_id === undefined) return 0;
  const parent = await tasks.get(parent_id);
  if (!parent) throw badRequest(`parent_task_id: there is no task ${parent_id}`);
  if (isTerminal(parent.status)) {
    throw badRequest(`parent_task_id: the task is ${parent.status}, so it takes no subtasks`);
  }
  if (parent.depth >= LIMITS.task_depth) {
    throw badRequest(`parent_task_id: subtasks go at most ${LIMITS.task_depth} levels deep`);
  }
  return parent.depth + 1;
}

/** How many of them have not ended; throws when one is unknown. */
export async function countOpen({ tasks }: TaskStore, ids: readonly string[]): Promise<number> {
  let open = 0;
  for (const id of ids) {
    const blocker = await tasks.get(id);
    if (!blocker) throw badRequest(`blocked_by: there is no task ${id}`);
    if (!isTerminal(blocker.status)) open += 1;
  }
  return open;
}

/** Throws when a task would, over others, wait for itself. */
export async function refuseCycle(
  { tasks }: TaskStore,
  task_id: string,
  blocked_by: readonly string[],
): Promise<void> {
  const seen = new Set<string>();
  const open = [...blocked_by];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === task_id) throw badRequest("blocked_by: the task would wait for itself");
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...((await tasks.get(id))?.blocked_by ?? []));
  }
}
