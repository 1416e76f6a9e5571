import type { Context } from "../context.ts";
import type { Event } from "../events/event.ts";
import type { TurnJob } from "../jobs/job.ts";
import { LIMITS } from "../kernel/limits.ts";
import { NO_ANSWER } from "../runtime/closing.ts";
import type { Writes } from "../store.ts";
import { moveTask, type TaskNote } from "./change.ts";
import { nextStatus, type TaskTrigger } from "./machine.ts";
import type { TaskRecord } from "./task.ts";

/**
 * The turn engine's only door to tasks. What a turn's facts mean for its task is written in the
 * transaction that makes them durable, so that the two can never disagree.
 */
type Tools = Pick<Context, "now" | "newId">;

/** Where a turn stands when some of its facts are written. */
export interface TurnState {
  readonly answer: string | undefined;
  /** Its own time, or its model's, ran out. */
  readonly is_out_of_time: boolean;
  /** A call waits for approval. */
  readonly is_gated: boolean;
}

/** Brings the task of a turn up to what was just written. */
export async function followTurn(
  ctx: Tools,
  tx: Writes,
  { task_id }: Pick<TurnJob, "task_id">,
  added: readonly Event[],
  stateNow: () => TurnState,
): Promise<void> {
  if (task_id === undefined) return;
  for (const event of added) {
    switch (event.type) {
      case "confirmation_request":
      case "confirmation_answer":
        await tryMove(ctx, tx, task_id, stateNow().is_gated ? "ask" : "start");
        break;
      case "turn_finished":
        await settleTask(ctx, tx, task_id, event.payload, stateNow());
        break;
      default:
    }
  }
}

type Finished = Extract<Event, { type: "turn_finished" }>["payload"];

/** Whatever ends the turn ends its task; one that paused waits for the person's answer. */
async function settleTask(
  ctx: Tools,
  tx: Writes,
  task_id: string,
  { outcome, error }: Finished,
  state: TurnState,
): Promise<void> {
  const fail = (reason: string) =>
    tryMove(ctx, tx, task_id, "fail", {
      reason: reason.slice(0, LIMITS.task_failure_characters),
    });
  switch (outcome) {
    case "paused":
      return tryMove(ctx, tx, task_id, "ask");
    case "failed":
      return fail(error?.message ?? "the turn failed");
    case "cancelled":
      return tryMove(ctx, tx, task_id, "cancel", {
        reason: STOPPED,
      });
    case "completed": {
      const problem = await whyUnfinished(tx, task_id, state);
      if (problem) return fail(problem);
      return tryMove(ctx, tx, task_id, "complete", { result: state.answer });
    }
  }
}

async function whyUnfinished(
  tx: Writes,
  task_id: string,
  { answer, is_out_of_time }: TurnState,
): Promise<string | undefined> {
  if (is_out_of_time) return "the agent ran out of time before it was done";
  if (answer === NO_ANSWER) return "the agent used up its steps before it had an answer";
  const task = await tx.tasks.get(task_id);
  return task?.status === "needs_input"
    ? "the agent ended its turn while the task waits for input, and nothing is asked that could be answered"
    : undefined;
}

/** A person's answer lets the task go on. */
export const continueTask = (ctx: Tools, tx: Writes, { task_id }: Pick<TurnJob, "task_id">) =>
  task_id === undefined ? undefined : tryMove(ctx, tx, task_id, "start");

/** The person said something else instead of answering: these turns will not go on. */
export const abandonTasks = (ctx: Tools, tx: Writes, turn_ids: readonly string[]): Promise<void> =>
  endTasks(ctx, tx, turn_ids, "fail", "a message was sent to its session instead of an answer");

/** These turns were stopped while they waited for an answer. */
export const stopTasks = (ctx: Tools, tx: Writes, turn_ids: readonly string[]): Promise<void> =>
  endTasks(ctx, tx, turn_ids, "cancel", STOPPED);

const STOPPED = "the turn that worked on it was stopped";

async function endTasks(
  ctx: Tools,
  tx: Writes,
  turn_ids: readonly string[],
  trigger: TaskTrigger,
  reason: string,
): Promise<void> {
  for (const turn_id of turn_ids) {
    const task = await tx.tasks.getByTurn(turn_id);
    if (task) await tryMove(ctx, tx, task.id, trigger, { reason });
  }
}

/** A task that was ended meanwhile, by a person or by its own agent, stays as it is. */
async function tryMove(
  ctx: Tools,
  tx: Writes,
  id: string,
  trigger: TaskTrigger,
  note: TaskNote = {},
): Promise<void> {
  const task: TaskRecord | undefined = await tx.tasks.get(id);
  if (!task || nextStatus(task.status, trigger) === undefined) return;
  await moveTask(ctx, tx, task, trigger, note);
}
