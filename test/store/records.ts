import type { AgentRecord } from "#engine/agents/agent.ts";
import type { Event } from "#engine/events/event.ts";
import { type Job, jobKeyOf } from "#engine/jobs/job.ts";
import type { SessionRecord } from "#engine/sessions/session.ts";

const NOW = "2026-03-01T12:00:00.000Z";

export const agentRecord = (name: string, fields: Partial<AgentRecord> = {}): AgentRecord => ({
  id: `agent-${name}`,
  name,
  system: "Help.",
  lifecycle: "persistent",
  tool_execution: "sequential",
  tools: ["current_time"],
  confirm_before: [],
  max_steps: 50,
  max_context_size: 16_000,
  max_turn_duration: 120,
  max_step_duration: 0,
  stop_sequences: [],
  is_system: false,
  created_at: NOW,
  updated_at: NOW,
  ...fields,
});

export const sessionRecord = (id: string, fields: Partial<SessionRecord> = {}): SessionRecord => ({
  id,
  status: "active",
  metadata: {},
  created_at: NOW,
  updated_at: NOW,
  ...fields,
});

export const userMessage = (session_id: string, seq: number, content = "hi"): Event => ({
  session_id,
  seq,
  id: `${session_id}-${seq}`,
  turn_id: "turn",
  agent_id: "agent",
  created_at: NOW,
  type: "user_message",
  payload: { content },
});

export const turnJob = (
  turn_id: string,
  session_id: string,
  fields: Partial<Job> = {},
): Omit<Job, "id"> => ({
  kind: "turn",
  key: jobKeyOf(session_id),
  state: "queued",
  payload: {
    request_id: turn_id,
    session_id,
    turn_id,
    schema_id: "schema",
    agent_id: "agent",
    user_sub: "",
  },
  attempts: 0,
  created_at: NOW,
  ...fields,
});
