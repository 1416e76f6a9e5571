/**
 * A process that has three background tasks done, and kills itself where it is told to. Started again on
 * the same folder, it goes on as a server would, answers the form that one asks, and tells what it finds.
 *
 *   node task-scenario.ts FOLDER [before|after|tool NUMBER]
 */
import { createAgent } from "#engine/agents/operations.ts";
import type { Event } from "#engine/events/event.ts";
import { EngineError } from "#engine/kernel/error.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import { createModel } from "#engine/models/operations.ts";
import { createSchema } from "#engine/schemas/operations.ts";
import { createTask } from "#engine/tasks/operations.ts";
import type { TaskRecord } from "#engine/tasks/task.ts";
import { openMortalEngine } from "./mortal-engine.ts";

const principal = adminSession("tester");
const { engine, store, begin, effects } = await openMortalEngine(process.argv.slice(2));
const { read } = store;
const listTasks = (): Promise<TaskRecord[]> => read.tasks.list({}, { limit: 100, offset: 0 });

await configure();
begin();
await engine.start();
const work = await make("work", "worker");
await make("file", "clerk");
await make("later", "clerk", [work]);
for (;;) {
  const open = (await listTasks()).filter(
    ({ mode, completed_at }) => mode === "background" && !completed_at,
  );
  if (open.length === 0) break;
  for (const task of open) if (task.status === "needs_input") await answer(task);
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(JSON.stringify(await report()));
await engine.stop(0);
await store.close();

async function configure(): Promise<void> {
  if ((await read.schemas.list()).length > 0) return;
  const { call } = engine;
  await call(principal, createModel, { name: "m", type: "demo", model_name: "demo" });
  const tools = ["append_line", "current_time", "show_structured_output", "manage_tasks"];
  await call(principal, createAgent, { name: "worker", system: "worker", tools });
  await call(principal, createAgent, { name: "clerk", system: "clerk", tools });
  await call(principal, createSchema, {
    name: "team",
    entry_agent_id: "worker",
    chat_enabled: true,
  });
}

async function make(title: string, agent_name: string, blocked_by: string[] = []): Promise<string> {
  const known = (await listTasks()).find((task) => task.title === title);
  if (known) return known.id;
  const body = { title, agent_name, blocked_by, mode: "background" };
  return (await engine.call(principal, createTask, body)).task_id;
}

async function answer({ work_session_id: session_id = "" }: TaskRecord): Promise<void> {
  const [interrupt] = await read.interrupts.listPending(session_id);
  if (!interrupt) return;
  const payload = { answers: [{ question_id: "colour", value: "green" }] };
  const resume_interrupt = { interrupt_id: interrupt.id, payload };
  try {
    await engine.chat(principal, { name: "team", session_id, resume_interrupt });
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "conflict") throw error;
  }
}

async function report() {
  const tasks = await listTasks();
  const sessions = await read.sessions.list({}, { limit: 100, offset: 0 });
  const events: Event[][] = [];
  for (const { id } of sessions) events.push(await read.events.list(id));
  const jobs = await read.jobs.listClaimable(Number.MAX_SAFE_INTEGER, 10);
  return { tasks, sessions, events, jobs, effects: effects() };
}

export type TaskReport = Awaited<ReturnType<typeof report>>;
