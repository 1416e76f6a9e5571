import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

/** Columns have the names of the fields they hold, so that no mapper stands between. */
export const agents = sqliteTable("agents", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  system: text().notNull(),
  model_id: integer().references(() => models.id),
  lifecycle: text().notNull(),
  tool_execution: text().notNull(),
  tools: text({ mode: "json" }).$type<string[]>().notNull(),
  confirm_before: text({ mode: "json" }).$type<string[]>().notNull(),
  max_steps: integer().notNull(),
  max_context_size: integer().notNull(),
  max_turn_duration: integer().notNull(),
  max_step_duration: integer().notNull(),
  temperature: real(),
  top_p: real(),
  max_tokens: integer(),
  stop_sequences: text({ mode: "json" }).$type<string[]>().notNull(),
  is_system: integer({ mode: "boolean" }).notNull(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
});

export const models = sqliteTable(
  "models",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    name: text().notNull().unique(),
    type: text().notNull(),
    kind: text({ enum: ["chat", "embedding"] }).notNull(),
    base_url: text(),
    model_name: text().notNull(),
    sealed_api_key: text(),
    api_version: text(),
    embedding_dim: integer(),
    is_default: integer({ mode: "boolean" }).notNull(),
    extra_body: text({ mode: "json" }).$type<Record<string, unknown>>(),
    cache_control: text({ mode: "json" }),
    created_at: text().notNull(),
  },
  (table) => [
    uniqueIndex("models_one_default").on(table.is_default).where(sql`${table.is_default} = 1`),
  ],
);

export const schemas = sqliteTable(
  "schemas",
  {
    id: text().primaryKey(),
    name: text().notNull().unique(),
    description: text(),
    entry_agent_id: text().references(() => agents.id),
    chat_enabled: integer({ mode: "boolean" }).notNull(),
    is_system: integer({ mode: "boolean" }).notNull(),
    chat_last_fired_at: text(),
    created_at: text().notNull(),
  },
  (table) => [index("schemas_entry_agent").on(table.entry_agent_id)],
);

export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey(),
    title: text(),
    schema_id: text().references(() => schemas.id),
    user_sub: text(),
    status: text({ enum: ["active", "completed", "expired", "failed"] }).notNull(),
    metadata: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    created_at: text().notNull(),
    updated_at: text().notNull(),
  },
  (table) => [
    index("sessions_updated").on(table.updated_at),
    index("sessions_user_updated").on(table.user_sub, table.updated_at),
    index("sessions_status_updated").on(table.status, table.updated_at),
    index("sessions_created").on(table.created_at),
    index("sessions_schema").on(table.schema_id),
  ],
);

export const agentRelations = sqliteTable(
  "agent_relations",
  {
    id: text().primaryKey(),
    schema_id: text()
      .notNull()
      .references(() => schemas.id, { onDelete: "cascade" }),
    source_id: text()
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    target_id: text()
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    config: text({ mode: "json" }).$type<Record<string, unknown>>(),
    created_at: text().notNull(),
  },
  (table) => [
    uniqueIndex("agent_relations_pair").on(table.schema_id, table.source_id, table.target_id),
    index("agent_relations_source").on(table.source_id),
    index("agent_relations_target").on(table.target_id),
  ],
);

export const capabilities = sqliteTable(
  "capabilities",
  {
    id: text().primaryKey(),
    agent_id: text()
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
    type: text({ enum: ["memory", "knowledge", "knowledge_graphs"] }).notNull(),
    config: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    enabled: integer({ mode: "boolean" }).notNull(),
    created_at: text().notNull(),
  },
  (table) => [uniqueIndex("capabilities_agent_type").on(table.agent_id, table.type)],
);

export const memoryEntries = sqliteTable(
  "memory_entries",
  {
    id: text().primaryKey(),
    schema_id: text()
      .notNull()
      .references(() => schemas.id, { onDelete: "cascade" }),
    user_sub: text().notNull(),
    agent_id: text().notNull(),
    content: text().notNull(),
    metadata: text({ mode: "json" }).$type<Record<string, string>>(),
    created_at: text().notNull(),
    updated_at: text().notNull(),
  },
  (table) => [
    index("memory_entries_owner").on(table.schema_id, table.user_sub, table.created_at),
    index("memory_entries_schema").on(table.schema_id, table.created_at),
    index("memory_entries_agent").on(table.agent_id, table.created_at),
  ],
);

/** The primary key also fences a stalled node: its append meets places that are taken. */
export const events = sqliteTable(
  "events",
  {
    session_id: text()
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    seq: integer().notNull(),
    id: text().notNull(),
    turn_id: text().notNull(),
    run_id: text(),
    agent_id: text().notNull(),
    type: text().notNull(),
    call_id: text(),
    payload: text({ mode: "json" }).notNull(),
    created_at: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.session_id, table.seq] })],
);

export const jobs = sqliteTable(
  "jobs",
  {
    id: integer().primaryKey(),
    kind: text({ enum: ["turn", "index", "embed"] }).notNull(),
    key: text().notNull(),
    state: text({ enum: ["queued", "running"] }).notNull(),
    payload: text({ mode: "json" }).notNull(),
    owner: text(),
    lease_until_ms: integer(),
    attempts: integer().notNull(),
    created_at: text().notNull(),
  },
  (table) => [
    uniqueIndex("jobs_one_running").on(table.key).where(sql`${table.state} = 'running'`),
    index("jobs_key").on(table.key),
  ],
);

export const interrupts = sqliteTable(
  "interrupts",
  {
    id: text().primaryKey(),
    session_id: text()
      .notNull()
      .references(() => sessions.id, { onDelete: "cascade" }),
    turn_id: text().notNull(),
    run_id: text(),
    call_id: text().notNull(),
    kind: text({ enum: ["structured_output"] }).notNull(),
    status: text({ enum: ["pending", "resolved", "abandoned"] }).notNull(),
    created_at: text().notNull(),
  },
  (table) => [index("interrupts_session_status").on(table.session_id, table.status)],
);

export const tokens = sqliteTable("tokens", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  hash: text().notNull().unique(),
  scopes_mask: integer().notNull(),
  created_at: text().notNull(),
  last_used_at: text(),
});

export const settings = sqliteTable("settings", {
  key: text().primaryKey(),
  value: text().notNull(),
  updated_at: text().notNull(),
});
