import { conflict, type EngineError } from "../kernel/error.ts";

export const TASK_STATUSES = [
  "draft",
  "approved",
  "pending",
  "in_progress",
  "needs_input",
  "completed",
  "failed",
  "cancelled",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** What can happen to a task. `ask`: it needs a person; `lose`: a blocker of it ended without success. */
export const TASK_TRIGGERS = [
  "approve",
  "start",
  "ask",
  "complete",
  "fail",
  "cancel",
  "lose",
] as const;
export type TaskTrigger = (typeof TASK_TRIGGERS)[number];

/**
 * The whole state machine (specification 3, contract 3): what is not here is not allowed. The REST
 * routes, the tool and the worker all move tasks by it.
 */
const MOVES: Readonly<Record<TaskStatus, Partial<Readonly<Record<TaskTrigger, TaskStatus>>>>> = {
  draft: { approve: "approved", cancel: "cancelled" },
  approved: { start: "in_progress", cancel: "cancelled", lose: "failed" },
  pending: { start: "in_progress", cancel: "cancelled", lose: "failed" },
  in_progress: {
    ask: "needs_input",
    complete: "completed",
    fail: "failed",
    cancel: "cancelled",
  },
  needs_input: { start: "in_progress", fail: "failed", cancel: "cancelled" },
  completed: {},
  failed: {},
  cancelled: {},
};

/** Where a trigger takes a task; undefined when it can't from there. */
export const nextStatus = (from: TaskStatus, trigger: TaskTrigger): TaskStatus | undefined =>
  MOVES[from][trigger];

/** Nothing can happen to it any more. */
export const isTerminal = (status: TaskStatus): boolean => Object.keys(MOVES[status]).length === 0;

const TARGETS: Readonly<Record<TaskTrigger, TaskStatus>> = {
  approve: "approved",
  start: "in_progress",
  ask: "needs_input",
  complete: "completed",
  fail: "failed",
  cancel: "cancelled",
  lose: "failed",
};

/** The trigger that leads to a status; undefined for those a task only begins with. */
export const triggerTo = (status: TaskStatus): TaskTrigger | undefined =>
  TASK_TRIGGERS.find((trigger) => TARGETS[trigger] === status);

/** Says from where to where, and what is possible instead. */
export function illegalMove(from: TaskStatus, trigger: TaskTrigger): EngineError {
  const { lose: _nobodysChoice, ...moves } = MOVES[from];
  const allowed = [...new Set(Object.values(moves))];
  const hint =
    allowed.length === 0 ? "nothing can change it any more" : `it can become ${either(allowed)}`;
  return conflict(`a task that is ${from} cannot become ${TARGETS[trigger]}: ${hint}`);
}

const either = (words: readonly string[]): string =>
  words.length < 2
    ? words.join()
    : `${words.slice(0, -1).join(", ")} or ${words[words.length - 1]}`;
