import { sql } from "drizzle-orm";
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const tasks = sqliteTable(
  "tasks",
  {
    id: text().primaryKey(),
    title: text().notNull(),
    description: text().notNull(),
    agent_id: text().notNull(),
    user_sub: text().notNull(),
    mode: text({ enum: ["interactive", "background"] }).notNull(),
    priority: integer().notNull(),
    acceptance_criteria: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    blocked_by: text({ mode: "json" }).$type<readonly string[]>().notNull(),
    open_blockers: integer().notNull(),
    parent_task_id: text(),
    depth: integer().notNull(),
    status: text({
      enum: [
        "draft",
        "approved",
        "pending",
        "in_progress",
        "needs_input",
        "completed",
        "failed",
        "cancelled",
      ],
    }).notNull(),
    session_id: text(),
    work_session_id: text(),
    turn_id: text(),
    result: text(),
    error: text(),
    created_at: text().notNull(),
    approved_at: text(),
    started_at: text(),
    completed_at: text(),
  },
  (table) => [
    index("tasks_created").on(table.created_at),
    index("tasks_status_created").on(table.status, table.created_at),
    index("tasks_parent").on(table.parent_task_id),
    index("tasks_session").on(table.session_id),
    index("tasks_work_session").on(table.work_session_id),
    index("tasks_turn").on(table.turn_id),
    // Only what waits for a worker, in the order it is taken: as quick with many tasks as with few.
    index("tasks_claimable")
      .on(sql`${table.priority} desc`, table.created_at)
      .where(
        sql`${table.mode} = 'background' and ${table.open_blockers} = 0 and +${table.status} in ('pending', 'approved')`,
      ),
    index("tasks_begun")
      .on(table.work_session_id)
      .where(
        sql`+${table.turn_id} is not null and +${table.status} in ('in_progress', 'needs_input')`,
      ),
  ],
);

/** `blocked_by` the other way round: whom a task keeps waiting. */
export const taskBlockers = sqliteTable(
  "task_blockers",
  {
    blocker_id: text().notNull(),
    task_id: text()
      .notNull()
      .references(() => tasks.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.blocker_id, table.task_id] }),
    index("task_blockers_task").on(table.task_id),
  ],
);
