import { z } from "zod";
import type { Event } from "../events/event.ts";
import type { InterruptRecord } from "../interrupts/interrupt.ts";
import { jobKeyOf } from "../jobs/job.ts";
import { UuidOrEmpty } from "../kernel/fields.ts";
import { defineOperation } from "../operation.ts";
import { AgentKey, requireAgent } from "./agent.ts";

const LifecycleQuery = AgentKey.extend({
  /** In which session. */
  session_id: UuidOrEmpty.optional(),
});

const Lifecycle = z.object({
  /** `persistent` or `spawn`. */
  mode: z.string(),
  state: z.enum(["no_session", "idle", "running", "needs_input"]),
  /** Turns and delegated tasks that the agent completed in the session. */
  tasks_handled: z.int(),
  /** Tokens of the agent's last prompt in the session. */
  context_tokens: z.int(),
  max_context: z.int(),
});

/** Derived from the session's log and jobs: the same on every node, and after a restart. */
export const getAgentLifecycle = defineOperation({
  name: "agents.lifecycle",
  summary: "Tell what an agent does in a session",
  scope: "agents:read",
  effect: "read",
  input: LifecycleQuery,
  output: Lifecycle,
  run: async ({ read }, { name, session_id }) => {
    const agent = await requireAgent(read, name);
    const about = { mode: agent.lifecycle, max_context: agent.max_context_size };
    if (session_id === undefined) {
      return { ...about, state: "no_session" as const, tasks_handled: 0, context_tokens: 0 };
    }
    const [events, jobs, interrupts] = await Promise.all([
      read.events.list(session_id),
      read.jobs.countByKey(jobKeyOf(session_id)),
      read.interrupts.listPending(session_id),
    ]);
    const work = workOf(agent.id, events);
    const { handled: tasks_handled, context_tokens } = work;
    return { ...about, state: stateOf(work, jobs > 0, interrupts), tasks_handled, context_tokens };
  },
});

/** What an agent did and does in a session. Call ids are unique in one. */
interface Work {
  /** Its runs that have begun and not ended: the turn's id, or the call that spawned it. */
  readonly open: Set<string>;
  /** The forms it has shown. */
  readonly forms: Set<string>;
  /** Its calls that wait for approval. */
  readonly gates: Set<string>;
  handled: number;
  context_tokens: number;
}

/** `is_live`: a job of the session runs or waits. */
function stateOf(
  { open, forms, gates }: Work,
  is_live: boolean,
  pending: readonly InterruptRecord[],
): z.infer<typeof Lifecycle>["state"] {
  if (pending.some(({ id }) => forms.has(id)) || (is_live && gates.size > 0)) return "needs_input";
  if (open.size === 0) return "idle";
  if (is_live) return "running";
  // It delegated to the agent that asks.
  return pending.length > 0 ? "needs_input" : "idle";
}

function workOf(agent_id: string, events: readonly Event[]): Work {
  const [open, forms, gates] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const work: Work = { open, forms, gates, handled: 0, context_tokens: 0 };
  let turn_id: string | undefined;
  for (const event of events) {
    // A session has one turn at a time: whatever an earlier one left is over.
    if (event.turn_id !== turn_id) open.clear();
    turn_id = event.turn_id;
    close(work, event, event.agent_id === agent_id);
    if (event.agent_id === agent_id) note(work, event);
  }
  return work;
}

function note(work: Work, event: Event): void {
  switch (event.type) {
    case "user_message":
    case "run_started":
      work.open.add(event.run_id ?? event.turn_id);
      return;
    case "interrupt_request":
      work.forms.add(event.call_id);
      return;
    case "confirmation_request":
      work.gates.add(event.call_id);
      return;
    case "step_finished":
      work.context_tokens = event.payload.usage.prompt_tokens ?? work.context_tokens;
      return;
    default:
  }
}

/** A turn takes its runs along; a sub-agent's run ends with the result of the call that spawned it. */
function close(work: Work, event: Event, is_own: boolean): void {
  switch (event.type) {
    case "turn_finished":
      if (event.payload.outcome !== "paused") work.open.clear();
      if (is_own && event.payload.outcome === "completed") work.handled += 1;
      return;
    case "tool_result":
      if (work.open.delete(event.call_id) && !event.payload.is_error) work.handled += 1;
      work.gates.delete(event.call_id);
      return;
    case "confirmation_answer":
      work.gates.delete(event.call_id);
      return;
    default:
  }
}
