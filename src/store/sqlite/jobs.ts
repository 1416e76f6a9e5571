import { and, asc, count, eq, exists, inArray, lt, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import type { AnyJob, Job, JobWrites } from "#engine/jobs/job.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert } from "./statements.ts";
import { jobs } from "./tables.ts";

type Row = typeof jobs.$inferSelect;
const toJob = (row: Row) => present(row) as Job;
const toMaybeJob = (row: Row | undefined) => maybe(row) as Job | undefined;

export function jobRepository(db: Db): JobWrites {
  const countByKey = db
    .select({ total: count() })
    .from(jobs)
    .where(eq(jobs.key, sql.placeholder("key")))
    .prepare();
  const nextQueued = db
    .select()
    .from(jobs)
    .where(and(eq(jobs.key, sql.placeholder("key")), eq(jobs.state, "queued")))
    .orderBy(asc(jobs.id))
    .limit(1)
    .prepare();
  const finish = db
    .delete(jobs)
    .where(eq(jobs.id, sql.placeholder("id")))
    .prepare();
  const claimable = claimableAt(db);

  const ofKey = (key: string) => eq(jobs.key, key);
  const deleteWhere = (where: SQL | undefined) => db.delete(jobs).where(where).run();
  const letGo = (owner: string, fields: { owner?: null }) =>
    db
      .update(jobs)
      .set({ lease_until_ms: 0, ...fields })
      .where(eq(jobs.owner, owner))
      .run();

  return {
    countByKey: async (key) => countByKey.get({ key })?.total ?? 0,
    listClaimable: (async (now_ms: number, limit: number, kind: AnyJob["kind"] = "turn") =>
      db
        .select()
        .from(jobs)
        .where(and(eq(jobs.kind, kind), claimable(now_ms)))
        .orderBy(asc(jobs.id))
        .limit(limit)
        .all()
        .map(toJob)) as JobWrites["listClaimable"],
    insert: insertOf(db),
    start: (async (id, { owner, until_ms }, now_ms) =>
      toMaybeJob(
        db
          .update(jobs)
          .set({
            state: "running",
            owner,
            lease_until_ms: until_ms,
            attempts: sql`${jobs.attempts} + 1`,
          })
          .where(and(eq(jobs.id, id), claimable(now_ms)))
          .returning()
          .get(),
      )) as JobWrites["start"],
    nextQueued: async (key) => toMaybeJob(nextQueued.get({ key })),
    async extend(ids, { owner, until_ms }) {
      db.update(jobs)
        .set({ lease_until_ms: until_ms })
        .where(and(inArray(jobs.id, [...ids]), eq(jobs.owner, owner)))
        .run();
    },
    async release(owner) {
      letGo(owner, {});
    },
    async handOver(owner) {
      letGo(owner, { owner: null });
    },
    putBack: async (id) => putBack(db, id),
    finishHeld: async (job) => deleteWhere(heldBy(job)).changes > 0,
    async finish(id) {
      finish.run({ id });
    },
    async deleteQueued(key) {
      deleteWhere(and(ofKey(key), eq(jobs.state, "queued")));
    },
    async deleteByKey(key) {
      deleteWhere(ofKey(key));
    },
  };
}

const heldBy = ({ id, key, owner = "" }: Pick<AnyJob, "id" | "key" | "owner">) =>
  and(eq(jobs.id, id), eq(jobs.key, key), eq(jobs.owner, owner));

function putBack(db: Db, id: number): void {
  db.update(jobs)
    .set({ state: "queued", owner: null, lease_until_ms: null, attempts: 0 })
    .where(eq(jobs.id, id))
    .run();
}

function insertOf(db: Db): JobWrites["insert"] {
  const insert = rowInsert(db, jobs);
  const insertJob = async (job: Omit<AnyJob, "id">) => {
    const id = Number(insert(job).lastInsertRowid);
    return { ...job, id };
  };
  return insertJob as JobWrites["insert"];
}

/** A job whose lease ran out, or one that waits and whose key nobody runs. */
function claimableAt(db: Db): (now_ms: number) => SQL | undefined {
  const runner = alias(jobs, "runner");
  const keyIsRunning = exists(
    db
      .select({ one: sql`1` })
      .from(runner)
      .where(and(eq(runner.key, jobs.key), eq(runner.state, "running"))),
  );
  const waiting = and(eq(jobs.state, "queued"), not(keyIsRunning));
  return (now_ms) => or(and(eq(jobs.state, "running"), lt(jobs.lease_until_ms, now_ms)), waiting);
}
