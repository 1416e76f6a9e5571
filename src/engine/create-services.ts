import type { TokenIssuer, TokenVerifier } from "./auth/jwt.ts";
import type { ReadServedDocument } from "./config/document.ts";
import type { RunInThread } from "./config/yaml-thread.ts";
import type { Context } from "./context.ts";
import { createSessionStreams } from "./events/session-streams.ts";
import { createOutbound } from "./http-tools/send.ts";
import type { SecretBox } from "./kernel/secrets.ts";
import type { ExtractChunks } from "./knowledge/extraction.ts";
import { createIndexing } from "./knowledge/indexing.ts";
import { entitySchemasOnDemand } from "./knowledge-graphs/schemas/open-schemas.ts";
import type { LaunchProgram } from "./mcp-servers/connections/launch.ts";
import { createMcpServers } from "./mcp-servers/connections/pool.ts";
import type { StdioPolicy } from "./mcp-servers/rules.ts";
import type { OAuthSigner } from "./oauth/signer.ts";
import { createChatModel } from "./providers/create.ts";
import type { EmbeddedModel } from "./providers/embedding.ts";
import type { CreateChatModel } from "./providers/provider.ts";
import type { ResolveHost } from "./providers/public-fetch.ts";
import type { RateLimitRule } from "./rate-limits/rate-limit.ts";
import { createRateLimits } from "./rate-limits/rate-limits.ts";
import { createBreakers } from "./resilience/breakers.ts";
import { createChatModels } from "./runtime/chat-models.ts";
import { createLiveTurns, LEASE_MS } from "./runtime/live-turns.ts";
import type { Logger, Services } from "./services.ts";
import type { Store } from "./store.ts";
import { createTaskWorker } from "./tasks/worker.ts";
import type { Tool } from "./tools/tool.ts";

/** What an engine is made of. */
export interface EngineDependencies {
  readonly store: Store;
  readonly version: string;
  readonly secrets: SecretBox;
  readonly verifier: TokenVerifier;
  readonly issuer: TokenIssuer | undefined;
  /** Without it the authorization server is off. */
  readonly oauth?: OAuthSigner | undefined;
  /** Every tool that an agent can list. */
  readonly tools: readonly Tool[];
  /** Without it, no file can be indexed. */
  readonly extract?: ExtractChunks;
  /** Undefined in a build that does not carry it: then words alone are searched. */
  readonly embedded_model?: EmbeddedModel | undefined;
  /** Administrators only by default. */
  readonly stdio_policy?: StdioPolicy;
  /** Without it, no MCP server can be a program. */
  readonly launchProgram?: LaunchProgram;
  /** A variable of the process's environment. */
  readonly readVariable?: (name: string) => string | undefined;
  /** How long a call of an MCP tool may go without a word from its server. */
  readonly mcp_call_ms?: number;
  /** How long an MCP server that is a program is kept while nobody uses it. */
  readonly mcp_idle_ms?: number;
  readonly log: Logger;
  /** Who holds this process's leases; what it held before a crash is taken back at the start. */
  readonly owner: string;
  /** How many background tasks this process works on at a time; 0 for none. */
  readonly task_concurrency?: number;
  readonly now?: () => Date;
  readonly createChatModel?: CreateChatModel;
  /** What a reload applies again. */
  readonly readDocument?: ReadServedDocument | undefined;
  /** Without it, long documents are read and written where everything else is done. */
  readonly runInThread?: RunInThread;
  /** None when nothing is limited. */
  readonly rate_limits?: readonly RateLimitRule[];
  /** What names resolve to where a caller chooses the address; the system's resolver by default. */
  readonly resolveHost?: ResolveHost;
}

const MCP_CALL_MS = 30_000;
const MCP_IDLE_MS = 600_000;
const DEFAULT_TASK_CONCURRENCY = 4;

const extractNothing: ExtractChunks = async () => ({ problem: "files cannot be read here" });

/** `system` is for what is done without anybody having asked. */
export function createServices(
  deps: EngineDependencies,
  now: () => Date,
  system: () => Context,
): Services {
  const streams = createSessionStreams();
  const turns = createLiveTurns(deps.owner, streams);
  const outbound = createOutbound(deps.resolveHost);
  return {
    version: deps.version,
    started_at: now(),
    secrets: deps.secrets,
    verifier: deps.verifier,
    issuer: deps.issuer,
    oauth: deps.oauth,
    models: createChatModels({
      create: deps.createChatModel ?? createChatModel,
      secrets: deps.secrets,
      publicFetch: outbound.public,
    }),
    tools: new Map(deps.tools.map((tool) => [tool.name, tool])),
    turns,
    tasks: createTaskWorker(turns, deps.task_concurrency ?? DEFAULT_TASK_CONCURRENCY),
    streams,
    indexing: createIndexing(deps.owner, LEASE_MS),
    extract: deps.extract ?? extractNothing,
    embedded_model: deps.embedded_model,
    entity_schemas: entitySchemasOnDemand(),
    mcp_servers: createMcpServers({
      version: deps.version,
      secrets: deps.secrets,
      launch: deps.launchProgram,
      publicFetch: outbound.public,
      siteFetch: outbound.site,
      readVariable: deps.readVariable ?? (() => undefined),
      call_ms: deps.mcp_call_ms ?? MCP_CALL_MS,
      idle_ms: deps.mcp_idle_ms ?? MCP_IDLE_MS,
      system,
    }),
    stdio_policy: deps.stdio_policy ?? "admin",
    rate_limits: createRateLimits(deps.rate_limits ?? []),
    readDocument: deps.readDocument,
    runInThread: deps.runInThread,
    outbound,
    breakers: createBreakers(now),
    log: deps.log,
  };
}
