import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { startTaskApp, type TaskApp } from "../support/tasks.ts";

/** `TROUPE_STORM=500` for a longer one. */
const TASKS = Number(process.env.TROUPE_STORM ?? 100);
const SEED = Number(process.env.TROUPE_STORM_SEED ?? 20_260_301);

interface Told {
  readonly id: string;
  readonly status: string;
  readonly error?: string;
  readonly result?: string;
  readonly completed_at?: string;
}

const plan = fc.record({
  end: fc.constantFrom("answer", "answer", "answer", "answer", "error", "ask"),
  blockers: fc.array(fc.nat(), { maxLength: 3 }),
  priority: fc.integer({ min: 0, max: 2 }),
  parent: fc.option(fc.nat(), { freq: 4 }),
  require_approval: fc.boolean(),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

const interference = fc.constantFrom("cancel", "complete", "fail", "none", "none", "none");

const FORM = {
  output_type: "form",
  title: "?",
  questions: [{ id: "q", label: "?", type: "text" }],
};

/** What the model does with a task, by its title. */
function script({ on }: TaskApp, title: string, { end }: Plan): void {
  if (end === "error") on(title, { fail: new Error("the model broke") });
  if (end === "ask")
    on(title, { calls: [{ id: "f", tool: "show_structured_output", input: FORM }] });
}

test("whatever happens to many tasks at once, they end in a consistent state", async () => {
  const [plans] = fc.sample(fc.array(plan, { minLength: TASKS, maxLength: TASKS }), {
    seed: SEED,
    numRuns: 1,
  });
  const interferences = fc.sample(interference, { seed: SEED, numRuns: TASKS });
  const app = await startTaskApp({ tools: ["show_structured_output"] });
  const { admin } = app;
  const ids: string[] = [];
  const blockersOf = new Map<string, string[]>();
  const acts: Promise<unknown>[] = [];

  for (const [index, each] of (plans ?? []).entries()) {
    script(app, `task ${index}`, each);
    const pick = (number: number) => ids[number % ids.length] ?? "";
    const blocked_by = ids.length > 0 ? [...new Set(each.blockers.map(pick))] : [];
    const body = { blocked_by, priority: each.priority, require_approval: each.require_approval };
    const parent_task_id = each.parent !== null && ids.length > 0 ? pick(each.parent) : undefined;
    const id = await app
      .background(`task ${index}`, { ...body, parent_task_id })
      // A parent that has ended, or is too deep, takes no subtasks.
      .catch(() => app.background(`task ${index}`, body));
    ids.push(id);
    blockersOf.set(id, blocked_by);
    if (each.require_approval) acts.push(admin.post(`/tasks/${id}/approve`));
    const victim = pick(index * 7);
    const act = interferences[index];
    if (act === "cancel") acts.push(admin.delete(`/tasks/${victim}`));
    if (act === "complete") acts.push(admin.post(`/tasks/${victim}/complete`, { result: "hand" }));
    if (act === "fail") acts.push(admin.post(`/tasks/${victim}/fail`, { reason: "hand" }));
  }
  await Promise.all(acts);

  const readAll = () => Promise.all(ids.map((id) => app.get(id))) as Promise<Told[]>;
  // A task that asks waits for ever, and so does what waits for it: they are cancelled, round by round.
  await vi.waitFor(
    async () => {
      for (const { id, status } of await readAll()) {
        if (status === "needs_input") await admin.delete(`/tasks/${id}`, { reason: "no answer" });
      }
      const open = (await readAll()).filter(({ completed_at }) => completed_at === undefined);
      expect(open.map(({ status }) => status)).toEqual([]);
    },
    { timeout: 30_000, interval: 5 },
  );

  const statuses = new Set((await readAll()).map(({ status }) => status));
  expect(statuses, "each way to end was gone").toEqual(
    new Set(["completed", "failed", "cancelled"]),
  );
  const tasks = new Map((await readAll()).map((task) => [task.id, task]));
  for (const task of tasks.values()) {
    expect(["completed", "failed", "cancelled"]).toContain(task.status);
    if (task.status === "completed") expect(task.result).toBeTruthy();
    if (task.status === "failed") expect(task.error).toBeTruthy();
    const record = await app.store.read.tasks.get(task.id);
    expect(record?.open_blockers, "nobody is waited for any more").toBe(0);
    const blockers = (blockersOf.get(task.id) ?? []).map((id) => tasks.get(id)?.status);
    const was_worked_on = record?.work_session_id !== undefined;
    if (was_worked_on) expect(blockers.every((status) => status === "completed")).toBe(true);
  }
  expect(await app.store.read.tasks.listStranded()).toEqual([]);
  expect(await app.store.read.tasks.listClaimable(10)).toEqual([]);
  expect(await app.store.read.jobs.listClaimable(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  const worked = (await Promise.all(ids.map((id) => app.store.read.tasks.get(id)))).filter(
    (task) => task?.turn_id,
  );
  expect(new Set(worked.map((task) => task?.turn_id)).size, "each had one turn").toBe(
    worked.length,
  );
}, 60_000);
