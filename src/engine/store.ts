import type { AgentReads, AgentWrites } from "./agents/agent.ts";
import type { TokenReads, TokenWrites } from "./auth/token.ts";
import type { EventReads, EventWrites } from "./events/event.ts";
import type { JobReads, JobWrites } from "./jobs/job.ts";
import type { ModelReads, ModelWrites } from "./models/model.ts";
import type { SchemaReads, SchemaWrites } from "./schemas/schema.ts";
import type { SessionReads, SessionWrites } from "./sessions/session.ts";
import type { SettingReads, SettingWrites } from "./settings/setting.ts";

export interface Reads {
  readonly agents: AgentReads;
  readonly models: ModelReads;
  readonly schemas: SchemaReads;
  readonly sessions: SessionReads;
  readonly events: EventReads;
  readonly jobs: JobReads;
  readonly tokens: TokenReads;
  readonly settings: SettingReads;
}

export interface Writes {
  readonly agents: AgentWrites;
  readonly models: ModelWrites;
  readonly schemas: SchemaWrites;
  readonly sessions: SessionWrites;
  readonly events: EventWrites;
  readonly jobs: JobWrites;
  readonly tokens: TokenWrites;
  readonly settings: SettingWrites;
}

/**
 * Where everything durable lives. Writes run one after another, each in a transaction that is undone
 * when its function throws; inside one, await nothing but the store. A write within a write is refused.
 */
export interface Store {
  readonly read: Reads;
  write<Result>(work: (tx: Writes) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}
