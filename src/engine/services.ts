import type { TokenIssuer, TokenVerifier } from "./auth/jwt.ts";
import type { ReadServedDocument } from "./config/document.ts";
import type { RunInThread } from "./config/yaml-thread.ts";
import type { SessionStreams } from "./events/session-streams.ts";
import type { OutboundFetch } from "./http-tools/send.ts";
import type { SecretBox } from "./kernel/secrets.ts";
import type { ExtractChunks } from "./knowledge/extraction.ts";
import type { Indexing } from "./knowledge/indexing.ts";
import type { OpenEntitySchemas } from "./knowledge-graphs/schemas/open-schemas.ts";
import type { McpServers } from "./mcp-servers/connections/pool.ts";
import type { StdioPolicy } from "./mcp-servers/rules.ts";
import type { OAuthSigner } from "./oauth/signer.ts";
import type { EmbeddedModel } from "./providers/embedding.ts";
import type { RateLimits } from "./rate-limits/rate-limits.ts";
import type { Breakers } from "./resilience/breakers.ts";
import type { ChatModels } from "./runtime/chat-models.ts";
import type { LiveTurns } from "./runtime/live-turns.ts";
import type { TaskWorker } from "./tasks/worker.ts";
import type { Tool } from "./tools/tool.ts";

/** Structured logging; fields never hold secrets, prompts or answers. */
export interface Logger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What operations share beside the store; made once, in `createEngine`. */
export interface Services {
  readonly version: string;
  readonly started_at: Date;
  readonly secrets: SecretBox;
  readonly verifier: TokenVerifier;
  /** Absent in external mode: there, another party issues the tokens. */
  readonly issuer: TokenIssuer | undefined;
  /** Absent where the authorization server is off. */
  readonly oauth: OAuthSigner | undefined;
  readonly models: ChatModels;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly turns: LiveTurns;
  readonly tasks: TaskWorker;
  readonly streams: SessionStreams;
  readonly indexing: Indexing;
  readonly extract: ExtractChunks;
  readonly entity_schemas: OpenEntitySchemas;
  readonly mcp_servers: McpServers;
  /** Undefined in a build that does not carry it. */
  readonly embedded_model: EmbeddedModel | undefined;
  /** Who may configure MCP servers that are programs on this machine. */
  readonly stdio_policy: StdioPolicy;
  readonly rate_limits: RateLimits;
  /** The document that this process is configured with, as it says now; absent when there is none. */
  readonly readDocument: ReadServedDocument | undefined;
  /** Where documents are read and written that would hold the event loop; absent, here. */
  readonly runInThread: RunInThread | undefined;
  /** Where declared tools send their requests. */
  readonly outbound: OutboundFetch;
  /** Around everything outside that may fail again and again. */
  readonly breakers: Breakers;
  readonly log: Logger;
}
