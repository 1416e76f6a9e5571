import type { Context } from "../context.ts";
import { appendFacts } from "../events/log.ts";
import { jobKeyOf } from "../jobs/job.ts";
import { conflict } from "../kernel/error.ts";
import { closePaused } from "../runtime/close-paused.ts";
import type { Reads, Writes } from "../store.ts";
import {
  illegalMove,
  isTerminal,
  nextStatus,
  type TaskStatus,
  type TaskTrigger,
} from "./machine.ts";
import type { TaskRecord } from "./task.ts";

/** What is told with a change. */
export interface TaskNote {
  readonly result?: string | undefined;
  readonly reason?: string | undefined;
}

type Tools = Pick<Context, "now" | "newId">;

/**
 * Moves a task, and with it those that its end concerns. Throws `conflict` when the state machine does not
 * allow it. Returns the sessions whose turns have lost their purpose: to be stopped once this is durable.
 */
export async function moveTask(
  ctx: Tools,
  tx: Writes,
  task: TaskRecord,
  trigger: TaskTrigger,
  note: TaskNote = {},
): Promise<string[]> {
  if (nextStatus(task.status, trigger) === undefined) throw illegalMove(task.status, trigger);
  const idle: string[] = [];
  const steps: Step[] = [{ id: task.id, trigger, note }];
  // One after another instead of by recursion: a chain of blockers can be long.
  for (let step = steps.pop(); step; step = steps.pop()) {
    const taken = await takeStep(ctx, tx, step);
    steps.push(...taken.next);
    idle.push(...taken.idle);
  }
  return idle;
}

/** One task's move, if it is still possible, and what follows from it. */
async function takeStep(
  ctx: Tools,
  tx: Writes,
  { id, trigger, note }: Step,
): Promise<{ next: readonly Step[]; idle: readonly string[] }> {
  const task = await tx.tasks.get(id);
  const status = task && nextStatus(task.status, trigger);
  if (!task || !status) return { next: [], idle: [] };
  await tx.tasks.update(id, fieldsOf(ctx, task, status, note));
  if (status === "approved") return { next: await lossOf(tx, task), idle: [] };
  if (!isTerminal(status)) return { next: [], idle: [] };
  await closeForm(ctx, tx, task);
  const { turn_id, work_session_id } = task;
  const idle = turn_id && work_session_id ? [work_session_id] : [];
  return { next: await consequences(tx, task, status), idle };
}

interface Step {
  readonly id: string;
  readonly trigger: TaskTrigger;
  readonly note: TaskNote;
}

function fieldsOf(
  ctx: Tools,
  task: TaskRecord,
  status: TaskStatus,
  { result, reason }: TaskNote,
): Partial<TaskRecord> {
  const now = ctx.now().toISOString();
  return {
    status,
    ...(status === "approved" ? { approved_at: now } : {}),
    ...(status === "in_progress" && !task.started_at ? { started_at: now } : {}),
    ...(isTerminal(status) ? { completed_at: now } : {}),
    ...(status === "completed" && result ? { result } : {}),
    ...((status === "failed" || status === "cancelled") && reason ? { error: reason } : {}),
  };
}

/** Subtasks are cancelled with their task, and what waits for one that failed has waited in vain. */
async function consequences(tx: Writes, task: TaskRecord, status: TaskStatus): Promise<Step[]> {
  await tx.tasks.unblock(task.id);
  const steps: Step[] = [];
  if (status !== "completed") {
    const note = {
      reason: `it was blocked by "${task.title}" (${task.id}), which ${said(status)}`,
    };
    for (const { id, mode } of await tx.tasks.listDependents(task.id)) {
      if (mode === "background") steps.push({ id, trigger: "lose", note });
    }
  }
  if (status === "cancelled") {
    for (const { id } of await listDescendants(tx, task.id)) {
      steps.push({ id, trigger: "cancel", note: {} });
    }
  }
  return steps;
}

/** Also below subtasks that have ended. */
async function listDescendants(tx: Writes, id: string): Promise<TaskRecord[]> {
  const found = await tx.tasks.listSubtasks(id);
  for (const { id: child } of found) found.push(...(await tx.tasks.listSubtasks(child)));
  return found;
}

const said = (status: TaskStatus): string => (status === "failed" ? "failed" : "was cancelled");

/** For a task that was given its blockers when they may have ended already. */
export async function loseIfBlocked(ctx: Tools, tx: Writes, task: TaskRecord): Promise<void> {
  for (const { trigger, note } of await lossOf(tx, task)) {
    if (nextStatus(task.status, trigger)) await moveTask(ctx, tx, task, trigger, note);
  }
}

/** The worker must not wait for a blocker that can't be completed any more. */
async function lossOf(
  store: Pick<Reads, "tasks">,
  { id, mode, blocked_by }: TaskRecord,
): Promise<Step[]> {
  if (mode !== "background") return [];
  for (const blocker_id of blocked_by) {
    const blocker = await store.tasks.get(blocker_id);
    if (blocker?.status !== "failed" && blocker?.status !== "cancelled") continue;
    const reason = `it is blocked by "${blocker.title}" (${blocker.id}), which ${said(blocker.status)}`;
    return [{ id, trigger: "lose", note: { reason } }];
  }
  return [];
}

/** Nobody can answer a form any more whose task has ended. A turn that runs closes its forms itself. */
async function closeForm(ctx: Tools, tx: Writes, task: TaskRecord): Promise<void> {
  const { status, work_session_id, turn_id } = task;
  if (status !== "needs_input" || !work_session_id || !turn_id) return;
  if ((await tx.jobs.countByKey(jobKeyOf(work_session_id))) > 0) return;
  const { closing } = await closePaused(tx, work_session_id, "the task ended before the answer");
  await appendFacts(ctx, tx, work_session_id, closing);
}

/** A task whose agent asked something goes on with the answer, not by being started once more. */
export function refuseRestart({ status, turn_id, work_session_id }: TaskRecord): void {
  if (status !== "needs_input" || !turn_id) return;
  throw conflict(
    `the task waits for an answer in session ${work_session_id}: give it there, and the task goes on by itself`,
  );
}
