import type { z } from "zod";
import type { TaskDetail, TaskItem } from "#engine/tasks/task.ts";
import { sanitize, sanitizeLine } from "../chat/sanitize.ts";
import { table } from "../table.ts";

export type ListedTask = z.output<typeof TaskItem>;

/** Priorities in words, as people say them. */
const PRIORITY_WORDS = ["normal", "high", "critical"] as const;

const priorityWord = (priority: number): string => PRIORITY_WORDS[priority] ?? String(priority);

export const itemTable = (tasks: readonly ListedTask[]): string =>
  table(
    ["ID", "STATUS", "PRIORITY", "CREATED", "TITLE"],
    tasks.map(({ id, status, priority, created_at, title }) => [
      id,
      status,
      priorityWord(priority),
      created_at,
      sanitizeLine(title),
    ]),
  );

/** Everything that is known, one field a line; what is not known is left out. */
export function detailText(task: TaskDetail): string {
  const fields: readonly [string, string | undefined][] = [
    ["Title", sanitizeLine(task.title)],
    ["Id", task.id],
    ["Status", task.status],
    ["Priority", priorityWord(task.priority)],
    ["Mode", task.mode],
    ["Subtask of", task.parent_task_id],
    ["Blocked by", task.blocked_by?.join(", ")],
    ["Session", task.session_id],
    ["Created", task.created_at],
    ["Approved", task.approved_at],
    ["Started", task.started_at],
    ["Ended", task.completed_at],
  ];
  const texts: readonly [string, string | undefined][] = [
    ["Description", task.description],
    ["Acceptance criteria", task.acceptance_criteria?.map((text) => `- ${text}`).join("\n")],
    ["Result", task.result],
    ["Reason", task.error],
  ];
  const rows = fields.flatMap(([name, value]) => (value ? [`${name.padEnd(11)} ${value}`] : []));
  const blocks = texts.flatMap(([name, text]) => (text ? [`\n${name}:\n${sanitize(text)}`] : []));
  return [...rows, ...blocks].join("\n");
}
