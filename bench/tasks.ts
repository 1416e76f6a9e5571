/** What tasks cost: how many a server does in a second, and how long the worker looks for the next one. */
import { join } from "node:path";
import type { TaskRecord } from "#engine/tasks/task.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { native } from "../test/support/native.ts";
import { median, run } from "./load.ts";
import { temporaryFolder } from "./processes.ts";
import type { Row } from "./row.ts";
import type { System } from "./systems.ts";

/** As many as the worker does at a time. */
const STREAMS = 4;

export async function tasks(relay: System, troupe: System, quick: boolean): Promise<Row[]> {
  const count = quick ? 200 : 1000;
  await run(relay.target("instant"), STREAMS, count);
  const started = performance.now();
  await run(relay.target("instant"), STREAMS, count);
  const limit = (count * 1000) / (performance.now() - started);
  await doTasks(troupe, count / 4);
  const speed = await doTasks(troupe, count);
  const few = await claimOf(100);
  const many = await claimOf(100_000);
  return [
    { what: `background tasks/s, ${STREAMS} at a time; limit: turns`, troupe: speed, limit },
    {
      what: "claim of a task among 100,000, ms; limit: among 100",
      troupe: many,
      limit: few,
      target: "at most 2x",
      reached: many <= few * 2,
    },
  ];
}

/** Creates tasks and waits until the server has done them all; returns tasks per second. */
async function doTasks({ running, target }: System, count: number): Promise<number> {
  const { headers } = target("instant");
  const url = `${running.url}/api/v1/tasks`;
  const completed = async (): Promise<number> => {
    const page = await fetch(`${url}?status=completed&per_page=1`, { headers });
    return ((await page.json()) as { total: number }).total;
  };
  const before = await completed();
  const started = performance.now();
  const body = { title: "Say fifty words.", agent_name: "instant", mode: "background" };
  for (let made = 0; made < count; made += 20) {
    await Promise.all(
      Array.from({ length: Math.min(20, count - made) }, () =>
        fetch(url, { method: "POST", headers, body: JSON.stringify(body) }),
      ),
    );
  }
  // Seldom, as looking costs the server as much as a part of a task.
  while ((await completed()) < before + count) await new Promise((done) => setTimeout(done, 50));
  return (count * 1000) / (performance.now() - started);
}

const CLAIMS = 200;

/** Milliseconds to find the next task and to begin it, with so many that wait and have ended. */
async function claimOf(rows: number): Promise<number> {
  const store = openSqliteStore({ file: join(temporaryFolder(), "tasks.db"), native });
  for (let from = 0; from < rows; from += 1000) {
    await store.write(async (tx) => {
      const until = Math.min(rows, from + 1000);
      for (let index = from; index < until; index += 1) await tx.tasks.insert(taskOf(index));
    });
  }
  const times: number[] = [];
  for (let claim = 0; claim < CLAIMS; claim += 1) {
    const started = performance.now();
    const [task] = await store.read.tasks.listClaimable(1);
    const id = task?.id ?? "";
    await store.write((tx) => tx.tasks.update(id, { status: "in_progress" }));
    times.push(performance.now() - started);
    await store.write((tx) => tx.tasks.update(id, { status: "pending" }));
  }
  await store.close();
  return median(times);
}

const taskOf = (index: number): TaskRecord => ({
  id: crypto.randomUUID(),
  title: `Task ${index}`,
  description: "",
  agent_id: "agent",
  user_sub: "",
  mode: "background",
  priority: index % 3,
  acceptance_criteria: [],
  blocked_by: [],
  open_blockers: 0,
  depth: 0,
  status: index % 2 === 0 ? "pending" : "completed",
  created_at: new Date(index * 1000).toISOString(),
});
