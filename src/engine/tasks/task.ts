import { z } from "zod";
import { Description, Timestamp, Uuid } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";
import { pageInput, pageOf, type Slice } from "../kernel/page.ts";
import { TASK_STATUSES, type TaskStatus } from "./machine.ts";

const { task_criteria, task_criterion_characters, task_blockers } = LIMITS;

const text = (limit: number) => z.string().max(limit, `must have at most ${limit} characters`);

export const TaskTitle = text(LIMITS.task_title_characters).refine(
  (title) => title.trim() !== "",
  "must not be empty",
);
const PRIORITIES = "must be 0 (normal), 1 (high) or 2 (critical)";
export const TaskPriority = z.int().min(0, PRIORITIES).max(LIMITS.task_priority_max, PRIORITIES);
export const TaskCriteria = z
  .array(text(task_criterion_characters))
  .max(task_criteria, `must have at most ${task_criteria} entries`);
export const TaskBlockers = z
  .array(Uuid)
  .max(task_blockers, `must have at most ${task_blockers} entries`)
  .overwrite((ids) => [...new Set(ids)]);
/** A result, or the reason of an end. */
export const TaskText = text(LIMITS.task_body_bytes);
export const TaskReason = TaskText.refine((reason) => reason.trim() !== "", "must not be empty");

export const TaskMode = z.enum(["interactive", "background"]);
export type TaskMode = z.infer<typeof TaskMode>;

export const TaskKey = z.object({ id: Uuid });

export const TaskCreate = z.object({
  title: TaskTitle,
  description: Description.optional(),
  /** Who works on it: an agent's name or id. It is kept, but never told (specification 2 Task). */
  agent_name: z.string().min(1, "must not be empty"),
  /** What is not `background` is `interactive` (contract 2.3). */
  mode: z.unknown().optional().meta({ type: "string", enum: TaskMode.options }),
  priority: TaskPriority.optional(),
  acceptance_criteria: TaskCriteria.optional(),
  blocked_by: TaskBlockers.optional(),
  require_approval: z.boolean().optional(),
  parent_task_id: Uuid.or(z.literal("")).optional(),
});

export const TaskCreated = z.object({
  task_id: Uuid,
  status: z.enum(TASK_STATUSES),
});

/** `source` and `agent_name` are accepted and do not narrow: a task does not tell its agent. */
export const TaskQuery = z.object({
  source: z.string().optional(),
  agent_name: z.string().optional(),
  status: z.string().optional(),
  ...pageInput(LIMITS.tasks_page),
});

/** A task as lists show it (contract 2.3). */
export const TaskItem = z.object({
  id: Uuid,
  title: z.string(),
  agent_name: z.literal(""),
  status: z.enum(TASK_STATUSES),
  source: z.literal(""),
  priority: z.int(),
  parent_task_id: Uuid.optional(),
  created_at: Timestamp,
});

export const TaskDetail = TaskItem.extend({
  description: z.string().optional(),
  acceptance_criteria: z.array(z.string()).optional(),
  blocked_by: z.array(Uuid).optional(),
  mode: TaskMode,
  result: z.string().optional(),
  /** Why it failed or was cancelled. */
  error: z.string().optional(),
  /** Where it is worked on, once it is: there a person answers what it asks. */
  session_id: Uuid.optional(),
  started_at: Timestamp.optional(),
  approved_at: Timestamp.optional(),
  completed_at: Timestamp.optional(),
});
export type TaskDetail = z.infer<typeof TaskDetail>;

export const TaskPage = pageOf(TaskItem);

export interface TaskRecord {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  /** Who works on it; kept for the worker alone. */
  readonly agent_id: string;
  /** Who made it: it is their usage and their memory. */
  readonly user_sub: string;
  readonly mode: TaskMode;
  readonly priority: number;
  readonly acceptance_criteria: readonly string[];
  readonly blocked_by: readonly string[];
  /** How many of them have not ended yet. */
  readonly open_blockers: number;
  readonly parent_task_id?: string | undefined;
  /** 0 for a task without a parent. */
  readonly depth: number;
  readonly status: TaskStatus;
  /** The session whose agent made it; absent when a client did. */
  readonly session_id?: string | undefined;
  /** The session in which the worker has it done. */
  readonly work_session_id?: string | undefined;
  /** The turn that works on it; absent unless the worker began it. */
  readonly turn_id?: string | undefined;
  readonly result?: string | undefined;
  readonly error?: string | undefined;
  readonly created_at: string;
  readonly approved_at?: string | undefined;
  readonly started_at?: string | undefined;
  readonly completed_at?: string | undefined;
}

export interface TaskFilter {
  readonly status?: string | undefined;
}

export interface TaskReads {
  get(id: string): Promise<TaskRecord | undefined>;
  /** Newest first. */
  list(filter: TaskFilter, slice: Slice): Promise<TaskRecord[]>;
  count(filter: TaskFilter): Promise<number>;
  /** Direct ones, oldest first. */
  listSubtasks(id: string): Promise<TaskRecord[]>;
  /** Those that were made in this session or are done in it, oldest first. */
  listBySession(session_id: string): Promise<TaskRecord[]>;
  /** Those that name this one in `blocked_by`, oldest first. */
  listDependents(id: string): Promise<TaskRecord[]>;
  getByTurn(turn_id: string): Promise<TaskRecord | undefined>;
  /** Background tasks that may begin: by priority, then the oldest. */
  listClaimable(limit: number): Promise<TaskRecord[]>;
  /** Tasks that the worker began, of which neither a job nor a person's pending answer is left. */
  listStranded(): Promise<TaskRecord[]>;
}

export interface TaskWrites extends TaskReads {
  insert(task: TaskRecord): Promise<void>;
  update(id: string, fields: Partial<TaskRecord>): Promise<void>;
  /** Tells those that wait for this one that it has ended. */
  unblock(id: string): Promise<void>;
}
