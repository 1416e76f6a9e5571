import type { Store, Writes } from "#engine/store.ts";
import { agentRepository } from "./agents.ts";
import { auditRepository } from "./audit.ts";
import { capabilityRepository } from "./capabilities.ts";
import { type Checkpoint, checkpointer } from "./checkpoints.ts";
import { type ConnectOptions, connect, type Db, queries } from "./database.ts";
import { eventRepository } from "./events.ts";
import { graphEntityRepository } from "./graph-entities.ts";
import { httpToolRepository } from "./http-tools.ts";
import { idempotencyRepository } from "./idempotency.ts";
import { interruptRepository } from "./interrupts.ts";
import { jobRepository } from "./jobs.ts";
import { knowledgeBaseRepository } from "./knowledge-bases.ts";
import { knowledgeChunkRepository } from "./knowledge-chunks.ts";
import { knowledgeFileRepository } from "./knowledge-files.ts";
import { graphBundleRepository, graphSchemaRepository } from "./knowledge-graphs.ts";
import { chunkMatchers } from "./knowledge-search.ts";
import type { LongReads } from "./long-reads.ts";
import { mcpServerRepository } from "./mcp-servers.ts";
import { memoryRepository } from "./memory.ts";
import { migrate, requireWhole } from "./migrate.ts";
import { modelRepository } from "./models.ts";
import { oauthGrantRepository } from "./oauth-grants.ts";
import { relationRepository } from "./relations.ts";
import { schemaRepository } from "./schemas.ts";
import { sessionRepository } from "./sessions.ts";
import { settingRepository } from "./settings.ts";
import { taskRepository } from "./tasks.ts";
import { tokenRepository } from "./tokens.ts";
import { toolCallRepository } from "./tool-calls.ts";
import { usageRepository } from "./usage.ts";
import { createWriteQueue } from "./write-queue.ts";

export interface StoreOptions extends Pick<ConnectOptions, "file" | "native"> {
  /** Where long reads run, when not on the thread that asks. */
  readonly long_reads?: LongReads;
  /** Where SQLite's log is moved into its file, when not by the commits themselves. */
  readonly checkpoint?: Checkpoint;
}

/** Opens and migrates the database. Throws EngineError `unavailable` that says what to do. */
export function openSqliteStore({ long_reads, checkpoint, ...options }: StoreOptions): Store {
  requireWhole(options.file);
  const writer = connect(options);
  try {
    migrate(writer);
    const reader = connect({ ...options, readonly: true });
    const tx = repositories(queries(writer));
    const queue = createWriteQueue(writer, checkpoint && checkpointer(writer, checkpoint));
    return {
      read: repositories(queries(reader), long_reads),
      write: (work) => queue(() => work(tx)),
      async close() {
        await queue(async () => undefined);
        reader.close();
        writer.close();
      },
    };
  } catch (error) {
    writer.close();
    throw error;
  }
}

/** Every repository over one connection. */
export const repositories = (db: Db, far?: LongReads): Writes => ({
  agents: agentRepository(db),
  models: modelRepository(db),
  schemas: schemaRepository(db),
  sessions: sessionRepository(db),
  events: eventRepository(db),
  jobs: jobRepository(db),
  tokens: tokenRepository(db),
  settings: settingRepository(db),
  relations: relationRepository(db),
  capabilities: capabilityRepository(db),
  memory: memoryRepository(db),
  knowledge_bases: knowledgeBaseRepository(db),
  knowledge_files: knowledgeFileRepository(db),
  knowledge_chunks: knowledgeChunkRepository(db.$client, far ?? chunkMatchers(db.$client)),
  graph_bundles: graphBundleRepository(db),
  graph_schemas: graphSchemaRepository(db),
  graph_entities: graphEntityRepository(db.$client, far),
  mcp_servers: mcpServerRepository(db),
  http_tools: httpToolRepository(db),
  interrupts: interruptRepository(db),
  tool_calls: toolCallRepository(db),
  usage: usageRepository(db),
  idempotency: idempotencyRepository(db),
  audit: auditRepository(db),
  tasks: taskRepository(db),
  oauth_grants: oauthGrantRepository(db),
});
