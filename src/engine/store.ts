import type { AgentReads, AgentWrites } from "./agents/agent.ts";
import type { AuditReads, AuditWrites } from "./audit/audit.ts";
import type { TokenReads, TokenWrites } from "./auth/token.ts";
import type { CapabilityReads, CapabilityWrites } from "./capabilities/capability.ts";
import type { EventReads, EventWrites } from "./events/event.ts";
import type { HttpToolReads, HttpToolWrites } from "./http-tools/http-tool.ts";
import type { InterruptReads, InterruptWrites } from "./interrupts/interrupt.ts";
import type { JobReads, JobWrites } from "./jobs/job.ts";
import type { KnowledgeBaseReads, KnowledgeBaseWrites } from "./knowledge/base.ts";
import type { ChunkReads, ChunkWrites } from "./knowledge/chunk.ts";
import type { KnowledgeFileReads, KnowledgeFileWrites } from "./knowledge/file.ts";
import type { GraphBundleReads, GraphBundleWrites } from "./knowledge-graphs/bundles/bundle.ts";
import type { GraphEntityReads, GraphEntityWrites } from "./knowledge-graphs/entities/entity.ts";
import type {
  GraphSchemaReads,
  GraphSchemaWrites,
} from "./knowledge-graphs/schemas/entity-schema.ts";
import type { McpServerReads, McpServerWrites } from "./mcp-servers/server.ts";
import type { MemoryReads, MemoryWrites } from "./memory/memory.ts";
import type { ModelReads, ModelWrites } from "./models/model.ts";
import type { GrantReads, GrantWrites } from "./oauth/grant.ts";
import type { RelationReads, RelationWrites } from "./relations/relation.ts";
import type { IdempotencyReads, IdempotencyWrites } from "./runtime/idempotency.ts";
import type { SchemaReads, SchemaWrites } from "./schemas/schema.ts";
import type { SessionReads, SessionWrites } from "./sessions/session.ts";
import type { SettingReads, SettingWrites } from "./settings/setting.ts";
import type { TaskReads, TaskWrites } from "./tasks/task.ts";
import type { ToolCallReads, ToolCallWrites } from "./tool-calls/tool-call.ts";
import type { UsageReads, UsageWrites } from "./usage/usage.ts";

export interface Reads {
  readonly agents: AgentReads;
  readonly models: ModelReads;
  readonly schemas: SchemaReads;
  readonly sessions: SessionReads;
  readonly events: EventReads;
  readonly jobs: JobReads;
  readonly tokens: TokenReads;
  readonly settings: SettingReads;
  readonly relations: RelationReads;
  readonly capabilities: CapabilityReads;
  readonly memory: MemoryReads;
  readonly knowledge_bases: KnowledgeBaseReads;
  readonly knowledge_files: KnowledgeFileReads;
  readonly knowledge_chunks: ChunkReads;
  readonly graph_bundles: GraphBundleReads;
  readonly graph_schemas: GraphSchemaReads;
  readonly graph_entities: GraphEntityReads;
  readonly http_tools: HttpToolReads;
  readonly mcp_servers: McpServerReads;
  readonly interrupts: InterruptReads;
  readonly tool_calls: ToolCallReads;
  readonly usage: UsageReads;
  readonly idempotency: IdempotencyReads;
  readonly audit: AuditReads;
  readonly tasks: TaskReads;
  readonly oauth_grants: GrantReads;
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
  readonly relations: RelationWrites;
  readonly capabilities: CapabilityWrites;
  readonly memory: MemoryWrites;
  readonly knowledge_bases: KnowledgeBaseWrites;
  readonly knowledge_files: KnowledgeFileWrites;
  readonly knowledge_chunks: ChunkWrites;
  readonly graph_bundles: GraphBundleWrites;
  readonly graph_schemas: GraphSchemaWrites;
  readonly graph_entities: GraphEntityWrites;
  readonly http_tools: HttpToolWrites;
  readonly mcp_servers: McpServerWrites;
  readonly interrupts: InterruptWrites;
  readonly tool_calls: ToolCallWrites;
  readonly usage: UsageWrites;
  readonly idempotency: IdempotencyWrites;
  readonly audit: AuditWrites;
  readonly tasks: TaskWrites;
  readonly oauth_grants: GrantWrites;
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
