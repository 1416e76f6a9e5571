import { and, asc, count, desc, eq, exists, inArray, not, or, sql } from "drizzle-orm";
import type { TaskFilter, TaskWrites } from "#engine/tasks/task.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert, rowUpdate } from "./statements.ts";
import { interrupts, jobs } from "./tables.ts";
import { taskBlockers, tasks } from "./task-tables.ts";

const oldestFirst = [asc(tasks.created_at), asc(sql`tasks.rowid`)];
const newestFirst = [desc(tasks.created_at), desc(sql`tasks.rowid`)];

const matching = ({ status }: TaskFilter) =>
  status === undefined ? undefined : sql`${tasks.status} = ${status}`;

/** Word for word what the partial indexes say, or they would not be used; the plus keeps others away. */
const CLAIMABLE = sql`${tasks.mode} = 'background' and ${tasks.open_blockers} = 0 and +${tasks.status} in ('pending', 'approved')`;
const BEGUN = sql`+${tasks.turn_id} is not null and +${tasks.status} in ('in_progress', 'needs_input')`;

export function taskRepository(db: Db): TaskWrites {
  const insert = rowInsert(db, tasks);
  const update = rowUpdate(db, tasks);
  const get = db
    .select()
    .from(tasks)
    .where(eq(tasks.id, sql.placeholder("id")))
    .prepare();
  const claimable = claimableQuery(db).prepare();
  const { insertBlocker, deleteBlockers, dependents, unblock } = blockerStatements(db);
  const setBlockers = (task_id: string, blocked_by: readonly string[]): void => {
    for (const blocker_id of blocked_by) insertBlocker({ task_id, blocker_id });
  };

  return {
    get: async (id) => maybe(get.get({ id })),
    list: async (filter, { limit, offset }) =>
      db
        .select()
        .from(tasks)
        .where(matching(filter))
        .orderBy(...newestFirst)
        .limit(limit)
        .offset(offset)
        .all()
        .map(present),
    count: async (filter) =>
      db.select({ total: count() }).from(tasks).where(matching(filter)).get()?.total ?? 0,
    listSubtasks: async (id) =>
      db
        .select()
        .from(tasks)
        .where(eq(tasks.parent_task_id, id))
        .orderBy(...oldestFirst)
        .all()
        .map(present),
    listBySession: async (session_id) =>
      db
        .select()
        .from(tasks)
        .where(or(eq(tasks.session_id, session_id), eq(tasks.work_session_id, session_id)))
        .orderBy(...oldestFirst)
        .all()
        .map(present),
    listDependents: async (id) => dependents.all({ id }).map(present),
    getByTurn: async (turn_id) =>
      maybe(db.select().from(tasks).where(eq(tasks.turn_id, turn_id)).get()),
    listClaimable: async (limit) => claimable.all({ limit }).map(present),
    listStranded: async () => strandedQuery(db).all().map(present),
    async insert(task) {
      insert(task);
      setBlockers(task.id, task.blocked_by);
    },
    async update(id, fields) {
      update(id, fields as Partial<typeof tasks.$inferSelect>);
      if (fields.blocked_by === undefined) return;
      deleteBlockers.run({ id });
      setBlockers(id, fields.blocked_by);
    },
    async unblock(id) {
      unblock.run({ id });
    },
  };
}

function blockerStatements(db: Db) {
  const waiting = db
    .select({ id: taskBlockers.task_id })
    .from(taskBlockers)
    .where(eq(taskBlockers.blocker_id, sql.placeholder("id")));
  const dependents = db
    .select()
    .from(tasks)
    .where(inArray(tasks.id, waiting))
    .orderBy(...oldestFirst)
    .prepare();
  const unblock = db
    .update(tasks)
    .set({ open_blockers: sql`${tasks.open_blockers} - 1` })
    .where(inArray(tasks.id, waiting))
    .prepare();
  const deleteBlockers = db
    .delete(taskBlockers)
    .where(eq(taskBlockers.task_id, sql.placeholder("id")))
    .prepare();
  return { insertBlocker: rowInsert(db, taskBlockers), deleteBlockers, dependents, unblock };
}

/** By the index of what may begin: its order is the order of the answer, so nothing is sorted. */
export const claimableQuery = (db: Db) =>
  db
    .select()
    .from(tasks)
    .where(CLAIMABLE)
    .orderBy(desc(tasks.priority), asc(tasks.created_at), asc(sql`tasks.rowid`))
    .limit(sql.placeholder("limit"));

/** A begun task has a job, or a form that a person may still answer. */
export function strandedQuery(db: Db) {
  const job = db
    .select({ one: sql`1` })
    .from(jobs)
    .where(sql`${jobs.key} = 'session:' || ${tasks.work_session_id}`);
  const question = db
    .select({ one: sql`1` })
    .from(interrupts)
    .where(
      and(
        eq(interrupts.session_id, sql`${tasks.work_session_id}`),
        eq(interrupts.status, "pending"),
      ),
    );
  return db
    .select()
    .from(tasks)
    .where(and(BEGUN, not(or(exists(job), exists(question)) ?? sql`0`)));
}
