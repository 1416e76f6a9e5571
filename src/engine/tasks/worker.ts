import type { Context } from "../context.ts";
import type { Event } from "../events/event.ts";
import { type Job, jobKeyOf, type TurnJob } from "../jobs/job.ts";
import { EngineError } from "../kernel/error.ts";
import { enterLog } from "../runtime/enter-log.ts";
import { LEASE_MS, type LiveTurns } from "../runtime/live-turns.ts";
import type { Reads, Writes } from "../store.ts";
import { requireAllowance } from "../usage/meter.ts";
import { moveTask } from "./change.ts";
import type { TaskRecord } from "./task.ts";

/** What changed tasks tells the worker. */
export interface TaskChanges {
  /** A task may be ready to begin. */
  wake(): void;
  /** Tasks ended whose turns may still run in these sessions; resolves when those are stopped. */
  changed(idle_sessions: readonly string[]): Promise<void>;
}

/** Has this process do background tasks, each as a turn in a session of its own. */
export interface TaskWorker extends TaskChanges {
  start(ctx: Context): Promise<void>;
  /** Finds what another process left or ended, and what was not noticed. */
  tick(): Promise<void>;
  /** Begins nothing any more. The turns that run are the turn engine's to drain. */
  stop(): Promise<void>;
}

/** `concurrency` 0: this process takes no tasks. */
export function createTaskWorker(turns: LiveTurns, concurrency: number): TaskWorker {
  let ctx: Context | undefined;
  let pass: Promise<void> | undefined;
  let is_awake = false;

  // A task that waits for a person leaves its place to others.
  const countFree = (): number =>
    ctx ? concurrency - turns.listTasks().filter(({ is_waiting }) => !is_waiting).length : 0;

  // One pass at a time: two would count the same free places.
  const work = async (): Promise<void> => {
    while (is_awake && ctx) {
      is_awake = false;
      try {
        await beginTasks(ctx, countFree);
      } catch (error) {
        ctx?.services.log.error({ err: error }, "tasks could not be begun");
      }
    }
    pass = undefined;
  };
  const wake = (): void => {
    if (!ctx || concurrency === 0) return;
    is_awake = true;
    pass ??= work();
  };

  return {
    wake,
    async changed(idle_sessions) {
      await Promise.all(idle_sessions.map((id) => turns.cancel(id)));
      wake();
    },
    async start(given) {
      ctx = given;
      await failStranded(given);
      wake();
    },
    async tick() {
      if (!ctx) return;
      await failStranded(ctx);
      await stopCancelled(ctx);
      wake();
    },
    async stop() {
      ctx = undefined;
      await pass;
    },
  };
}

/** Fills the free places, the most urgent and oldest first. */
async function beginTasks(ctx: Context, freePlaces: () => number): Promise<void> {
  for (let free = freePlaces(); free > 0; free = freePlaces()) {
    const waiting = await ctx.read.tasks.listClaimable(free);
    let begun = 0;
    for (const { id } of waiting) if (await beginTask(ctx, id)) begun += 1;
    // There are none, or another process was faster with all of them.
    if (begun === 0) return;
  }
}

/** Status, session, message and job in one transaction: a task is begun whole or not at all, and once. */
async function beginTask(ctx: Context, id: string): Promise<boolean> {
  const begun = await ctx.write(async (tx) => {
    const task = await tx.tasks.get(id);
    if (!task || !isClaimable(task)) return undefined;
    await moveTask(ctx, tx, task, "start");
    const refusal = await refusalOf(ctx, tx, task);
    if (refusal !== undefined) {
      await moveTask(ctx, tx, { ...task, status: "in_progress" }, "fail", { reason: refusal });
      return "refused" as const;
    }
    return openTurn(ctx, tx, task);
  });
  if (begun !== undefined && begun !== "refused") {
    const { job, events } = begun;
    await ctx.services.turns.run(ctx, job, { added: events, is_crashed: false });
  }
  return begun !== undefined;
}

const isClaimable = ({ mode, status, open_blockers }: TaskRecord): boolean =>
  mode === "background" && (status === "pending" || status === "approved") && open_blockers === 0;

/** Why a task can't begin although it is its turn. */
async function refusalOf(
  { now }: Context,
  tx: Writes,
  { agent_id, user_sub }: TaskRecord,
): Promise<string | undefined> {
  if (!(await tx.agents.get(agent_id))) return "its agent no longer exists";
  try {
    await requireAllowance(tx, user_sub, now());
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    throw error;
  }
}

async function openTurn(
  ctx: Context,
  tx: Writes,
  task: TaskRecord,
): Promise<{ job: Job; events: readonly Event[] }> {
  const now = ctx.now();
  const created_at = now.toISOString();
  const session_id = ctx.newId();
  const schema_id = await schemaOf(tx, task.agent_id);
  const { agent_id, user_sub, title } = task;
  const payload: TurnJob = {
    request_id: ctx.newId(),
    session_id,
    turn_id: ctx.newId(),
    schema_id: schema_id ?? "",
    agent_id,
    user_sub,
    message: toMessage(task),
    task_id: task.id,
  };
  await tx.sessions.insert({
    id: session_id,
    title,
    schema_id,
    user_sub,
    status: "active",
    metadata: { task_id: task.id },
    created_at,
    updated_at: created_at,
  });
  await tx.tasks.update(task.id, { work_session_id: session_id, turn_id: payload.turn_id });
  const events = (await enterLog(ctx, tx, payload)) ?? [];
  const job = await tx.jobs.insert({
    kind: "turn",
    key: jobKeyOf(session_id),
    state: "running",
    payload,
    owner: ctx.services.turns.owner,
    lease_until_ms: now.getTime() + LEASE_MS,
    attempts: 1,
    created_at,
  });
  return { job, events };
}

/** What the agent is told: all that its maker wrote down. */
function toMessage({ title, description, acceptance_criteria }: TaskRecord): string {
  const criteria = acceptance_criteria.map((criterion) => `- ${criterion}`).join("\n");
  const parts = [title, description, criteria && `Acceptance criteria:\n${criteria}`];
  return parts.filter(Boolean).join("\n\n");
}

/** The schema that the agent works in: the oldest that it is the entry of, else one that it is part of. */
async function schemaOf(
  { schemas, relations }: Pick<Reads, "schemas" | "relations">,
  agent_id: string,
): Promise<string | undefined> {
  const own = (await schemas.list()).filter(({ entry_agent_id }) => entry_agent_id === agent_id);
  const [schema] = [...own.filter(({ chat_enabled }) => chat_enabled), ...own];
  return schema?.id ?? (await relations.listByAgent(agent_id))[0]?.schema_id;
}

/** A task must not wait for a turn that can't come any more, such as one of a deleted session. */
async function failStranded(ctx: Context): Promise<void> {
  if ((await ctx.read.tasks.listStranded()).length === 0) return;
  await ctx.write(async (tx) => {
    for (const task of await tx.tasks.listStranded()) {
      const reason = "the session it was worked on in was deleted, or its turn was taken back";
      await moveTask(ctx, tx, task, "fail", { reason });
    }
  });
}

/** Those that another process, or their own agent, cancelled. */
async function stopCancelled({ read, services }: Context): Promise<void> {
  for (const { task_id, session_id } of services.turns.listTasks()) {
    const task = await read.tasks.get(task_id);
    if (task?.status === "cancelled") await services.turns.cancel(session_id);
  }
}
