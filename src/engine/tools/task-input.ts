import { z } from "zod";
import { Description } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";
import { TASK_STATUSES } from "../tasks/machine.ts";
import {
  TaskBlockers,
  TaskCriteria,
  TaskKey,
  TaskMode,
  TaskPriority,
  TaskText,
  TaskTitle,
} from "../tasks/task.ts";

/** What the tool can do (contract 4.16). */
export const TASK_ACTIONS = [
  "create",
  "create_subtask",
  "update",
  "get",
  "list",
  "list_subtasks",
  "get_ready",
  "get_next",
  "approve",
  "start",
  "complete",
  "fail",
  "cancel",
  "set_status",
  "set_priority",
  "assign",
] as const;

const Id = TaskKey.shape.id;

const Fields = z.object({
  title: TaskTitle.optional(),
  description: Description.optional(),
  acceptance_criteria: TaskCriteria.optional(),
  priority: TaskPriority.optional().describe("0 normal, 1 high, 2 critical"),
  blocked_by: TaskBlockers.optional().describe("Ids of tasks that must be completed before"),
  mode: TaskMode.optional().describe(
    "background: a worker does it in a session of its own, and its result can be read later",
  ),
});

/** Flat, as models fill it in better than a union; which action needs what is checked by the action. */
export const ManageTasksInput = Fields.extend({
  action: z.enum(TASK_ACTIONS),
  tasks: z
    .array(Fields.extend({ title: TaskTitle }))
    .min(1)
    .max(LIMITS.tasks_per_call)
    .optional()
    .describe("For create: the tasks"),
  task_id: Id.optional().describe("Which task; for every action but create, list and get_*"),
  parent_task_id: Id.optional().describe("For create_subtask: the task it is a part of"),
  require_approval: z.boolean().optional().describe("For create: they begin as drafts"),
  status: z.enum(TASK_STATUSES).optional().describe("For set_status; for list: only these"),
  result: TaskText.optional().describe("For complete: what came of it"),
  reason: TaskText.optional().describe("For fail and cancel"),
  agent_id: z.string().min(1).optional().describe("For assign: the agent's id or name"),
});

export type ManageTasksInput = z.output<typeof ManageTasksInput>;
export type TaskAction = ManageTasksInput["action"];
