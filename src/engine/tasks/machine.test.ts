import { describe, expect, test } from "vitest";
import {
  illegalMove,
  isTerminal,
  nextStatus,
  TASK_STATUSES,
  TASK_TRIGGERS,
  type TaskStatus,
  type TaskTrigger,
  triggerTo,
} from "./machine.ts";

/** Every move of specification 3 and contract 3; all others are refused. */
const LEGAL: Readonly<Record<string, TaskStatus>> = {
  "draft approve": "approved",
  "draft cancel": "cancelled",
  "approved start": "in_progress",
  "approved cancel": "cancelled",
  "approved lose": "failed",
  "pending start": "in_progress",
  "pending cancel": "cancelled",
  "pending lose": "failed",
  "in_progress ask": "needs_input",
  "in_progress complete": "completed",
  "in_progress fail": "failed",
  "in_progress cancel": "cancelled",
  "needs_input start": "in_progress",
  "needs_input fail": "failed",
  "needs_input cancel": "cancelled",
};

const ALL = TASK_STATUSES.flatMap((from) =>
  TASK_TRIGGERS.map((trigger): [TaskStatus, TaskTrigger] => [from, trigger]),
);

describe("the state machine of tasks", () => {
  test.each(ALL)("%s, %s", (from, trigger) => {
    expect(nextStatus(from, trigger)).toBe(LEGAL[`${from} ${trigger}`]);
  });

  test("ends in completed, failed and cancelled", () => {
    expect(TASK_STATUSES.filter(isTerminal)).toEqual(["completed", "failed", "cancelled"]);
  });

  test("finds the trigger of every status that a task can be set to", () => {
    expect(TASK_STATUSES.map(triggerTo)).toEqual([
      undefined,
      "approve",
      undefined,
      "start",
      "ask",
      "complete",
      "fail",
      "cancel",
    ]);
  });

  test("says what is possible instead of an illegal move", () => {
    expect(illegalMove("pending", "complete")).toMatchObject({
      code: "conflict",
      message:
        "a task that is pending cannot become completed: it can become in_progress or cancelled",
    });
    expect(illegalMove("in_progress", "approve").message).toContain(
      "it can become needs_input, completed, failed or cancelled",
    );
    expect(illegalMove("failed", "start").message).toBe(
      "a task that is failed cannot become in_progress: nothing can change it any more",
    );
  });
});
