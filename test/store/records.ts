import type { AgentRecord } from "#engine/agents/agent.ts";
import type { CapabilityRecord, CapabilityType } from "#engine/capabilities/capability.ts";
import type { Event } from "#engine/events/event.ts";
import type { InterruptRecord } from "#engine/interrupts/interrupt.ts";
import { type Job, jobKeyOf } from "#engine/jobs/job.ts";
import type { McpServerRecord } from "#engine/mcp-servers/server.ts";
import type { MemoryRecord } from "#engine/memory/memory.ts";
import type { RelationRecord } from "#engine/relations/relation.ts";
import type { IdempotencyRecord } from "#engine/runtime/idempotency.ts";
import type { SchemaRecord } from "#engine/schemas/schema.ts";
import type { SessionRecord } from "#engine/sessions/session.ts";
import type { TaskRecord } from "#engine/tasks/task.ts";
import type { BegunToolCall } from "#engine/tool-calls/tool-call.ts";

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

export const taskRecord = (id: string, fields: Partial<TaskRecord> = {}): TaskRecord => ({
  id,
  title: `Task ${id}`,
  description: "",
  agent_id: "agent",
  user_sub: "",
  mode: "background",
  priority: 0,
  acceptance_criteria: [],
  blocked_by: [],
  open_blockers: 0,
  depth: 0,
  status: "pending",
  created_at: NOW,
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

export const schemaRecord = (name: string, fields: Partial<SchemaRecord> = {}): SchemaRecord => ({
  id: `schema-${name}`,
  name,
  chat_enabled: true,
  is_system: false,
  created_at: NOW,
  ...fields,
});

export const memoryRecord = (id: string, fields: Partial<MemoryRecord> = {}): MemoryRecord => ({
  id,
  schema_id: "schema-s",
  user_sub: "ann",
  agent_id: "agent-a",
  content: id,
  created_at: NOW,
  updated_at: NOW,
  ...fields,
});

export const relationRecord = (
  source: string,
  target: string,
  fields: Partial<RelationRecord> = {},
): RelationRecord => ({
  id: `${source}-${target}`,
  schema_id: "schema-s",
  source_id: `agent-${source}`,
  target_id: `agent-${target}`,
  created_at: NOW,
  ...fields,
});

export const capabilityRecord = (
  agent: string,
  type: CapabilityType,
  fields: Partial<CapabilityRecord> = {},
): CapabilityRecord => ({
  id: `${agent}-${type}`,
  agent_id: `agent-${agent}`,
  type,
  config: {},
  enabled: true,
  created_at: NOW,
  ...fields,
});

export const interruptRecord = (
  id: string,
  fields: Partial<InterruptRecord> = {},
): InterruptRecord => ({
  id,
  session_id: "s",
  turn_id: "turn",
  call_id: `call-${id}`,
  kind: "structured_output",
  status: "pending",
  created_at: NOW,
  ...fields,
});

export const begunCall = (call_id: string, fields: Partial<BegunToolCall> = {}): BegunToolCall => ({
  id: `id-${call_id}`,
  session_id: "s",
  call_id,
  agent_id: "agent-a",
  tool_name: "look",
  input: "{}",
  created_at: NOW,
  ...fields,
});

export const idempotencyRecord = (
  key: string,
  fields: Partial<IdempotencyRecord> = {},
): IdempotencyRecord => ({
  owner: "api_token:widget",
  key,
  body_hash: "hash",
  session_id: "s",
  turn_id: "turn",
  after_seq: 0,
  created_at: NOW,
  ...fields,
});

export const mcpServerRecord = (
  name: string,
  fields: Partial<McpServerRecord> = {},
): McpServerRecord => ({
  id: `server-${name}`,
  name,
  type: "stdio",
  command: "a-program",
  args: ["--flag"],
  sealed_env_vars: { TOKEN: "sealed" },
  forward_headers: [],
  auth_type: "none",
  enabled: true,
  is_trusted: true,
  created_at: NOW,
  updated_at: NOW,
  ...fields,
});
