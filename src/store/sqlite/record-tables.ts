import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { sessions } from "./tables.ts";

/** Derived from the events, so that the tool-call log can be filtered without reading them. */
export const toolCalls = sqliteTable(
  "tool_calls",
  {
    id: text().primaryKey(),
    session_id: text()
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    call_id: text().notNull(),
    agent_name: text().notNull(),
    tool_name: text().notNull(),
    input: text().notNull(),
    output: text().notNull(),
    status: text({ enum: ["completed", "failed"] }).notNull(),
    duration_ms: integer().notNull(),
    user_id: text().notNull(),
    created_at: text().notNull(),
  },
  (table) => [
    uniqueIndex("tool_calls_call").on(table.session_id, table.call_id),
    index("tool_calls_created").on(table.created_at),
    index("tool_calls_session_created").on(table.session_id, table.created_at),
    index("tool_calls_agent_created").on(table.agent_name, table.created_at),
    index("tool_calls_tool_created").on(table.tool_name, table.created_at),
    index("tool_calls_status_created").on(table.status, table.created_at),
    index("tool_calls_user_created").on(table.user_id, table.created_at),
  ],
);

/** The chat requests of the last day that came with a key: sent again, they join the same turn. */
export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    owner: text().notNull(),
    key: text().notNull(),
    body_hash: text().notNull(),
    session_id: text()
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    turn_id: text().notNull(),
    after_seq: integer().notNull(),
    created_at: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.owner, table.key] }),
    index("idempotency_keys_created").on(table.created_at),
    index("idempotency_keys_session").on(table.session_id),
  ],
);

export const usageLimits = sqliteTable("usage_limits", {
  scope: text({ enum: ["tenant", "per_user"] }).primaryKey(),
  unit: text({ enum: ["turns", "steps"] }).notNull(),
  limit_value: integer().notNull(),
  interval_seconds: integer().notNull(),
  enabled: integer({ mode: "boolean" }).notNull(),
});

/** What was used: in all, and in the window of each limit's scope. */
export const usageCounters = sqliteTable("usage_counters", {
  subject: text().primaryKey(),
  started_at: text().notNull(),
  turns: integer().notNull(),
  steps: integer().notNull(),
  prompt_tokens: integer().notNull(),
  completion_tokens: integer().notNull(),
});

export const auditEntries = sqliteTable(
  "audit_entries",
  {
    id: text().primaryKey(),
    timestamp: text().notNull(),
    actor_type: text().notNull(),
    actor_id: text().notNull(),
    action: text().notNull(),
    resource: text().notNull(),
    details: text().notNull(),
  },
  (table) => [
    index("audit_entries_timestamp").on(table.timestamp),
    index("audit_entries_actor_type").on(table.actor_type, table.timestamp),
    index("audit_entries_action").on(table.action, table.timestamp),
    index("audit_entries_resource").on(table.resource, table.timestamp),
  ],
);
