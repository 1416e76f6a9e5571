import type { Door } from "./audit/audit.ts";
import { refusalNoter } from "./audit/refusals.ts";
import { authenticate } from "./auth/authenticate.ts";
import type { TokenIssuer, TokenVerifier } from "./auth/jwt.ts";
import type { ReadServedDocument } from "./config/document.ts";
import type { RunInThread } from "./config/yaml-thread.ts";
import type { Context } from "./context.ts";
import { createSessionStreams } from "./events/session-streams.ts";
import { createOutbound } from "./http-tools/send.ts";
import { EngineError } from "./kernel/error.ts";
import { newUuid } from "./kernel/ids.ts";
import { adminSession, type Principal, requireGuard } from "./kernel/principal.ts";
import type { SecretBox } from "./kernel/secrets.ts";
import type { ExtractChunks } from "./knowledge/extraction.ts";
import { createIndexing } from "./knowledge/indexing.ts";
import { queueMissingVectors } from "./knowledge/vector-space.ts";
import { entitySchemasOnDemand } from "./knowledge-graphs/open-schemas.ts";
import type { LaunchProgram } from "./mcp-servers/launch.ts";
import { createMcpServers } from "./mcp-servers/pool.ts";
import type { StdioPolicy } from "./mcp-servers/rules.ts";
import type { OAuthPlace } from "./oauth/place.ts";
import type { OAuthSigner } from "./oauth/signer.ts";
import { invoke, type Operation, parseInput } from "./operation.ts";
import { createChatModel } from "./providers/create.ts";
import type { EmbeddedModel } from "./providers/embedding.ts";
import type { CreateChatModel } from "./providers/provider.ts";
import type { ResolveHost } from "./providers/public-fetch.ts";
import type { Allowance, RateLimitRule } from "./rate-limits/rate-limit.ts";
import { createRateLimits, type ReadHeader } from "./rate-limits/rate-limits.ts";
import { createBreakers } from "./resilience/breakers.ts";
import { forgetOutdated } from "./retention.ts";
import { type AcceptedTurn, type ChatExtras, ChatInput, startChat } from "./runtime/chat.ts";
import { createChatModels } from "./runtime/chat-models.ts";
import { createLiveTurns, LEASE_MS } from "./runtime/live-turns.ts";
import type { Logger, Services } from "./services.ts";
import { type FollowedSession, openSessionStream } from "./sessions/follow.ts";
import { SEEDED_SETTINGS } from "./settings/setting.ts";
import type { Store } from "./store.ts";
import { createTaskWorker } from "./tasks/worker.ts";
import type { Tool } from "./tools/tool.ts";
import { TOTAL } from "./usage/usage.ts";

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

/** The product behind every door. */
export interface Engine {
  /** Throws EngineError; anything else thrown is a bug. */
  call<Input, Output>(
    principal: Principal,
    operation: Operation<Input, Output>,
    input: unknown,
    door?: Door,
  ): Promise<Output>;
  /** Accepts a chat turn or throws; see `startChat`. */
  chat(principal: Principal, input: unknown, extras?: ChatExtras): Promise<AcceptedTurn>;
  /** Replays a session's stream from a place on, and goes on with it; see `openSessionStream`. */
  follow(principal: Principal, input: unknown): Promise<FollowedSession>;
  /** Access tokens of OAuth are taken only where a place is given: there they belong. Throws `unauthorized`. */
  authenticate(authorization: string | undefined, place?: OAuthPlace): Promise<Principal>;
  /** Counts a request by the rules of the process. Undefined when none applies. */
  admit(principal: Principal, header: ReadHeader): Allowance | undefined;
  /** What this process has to do now. */
  load(): Load;
  /** By kind, since the installation began; empty when the store can't be read. */
  usedTokens(): Promise<Readonly<Record<string, number>>>;
  /** Seeds what every installation has, takes up unfinished turns and tasks, and keeps the leases. */
  start(options?: { readonly takes_tasks?: boolean }): Promise<void>;
  /**
   * Lets running turns end within `patience_ms`; the rest goes on at the next start. Also for an engine that
   * was not started: an upload has it index.
   */
  stop(patience_ms: number): Promise<void>;
}

const MCP_CALL_MS = 30_000;
const MCP_IDLE_MS = 600_000;

const extractNothing: ExtractChunks = async () => ({ problem: "files cannot be read here" });
/** Numbers for monitoring. */
export interface Load {
  readonly running_turns: number;
  readonly waiting_turns: number;
}

/** Claims are looked for this often, too: a dead neighbour's turn waits for one lease and one tick. */
const TICK_MS = LEASE_MS / 3;
const DEFAULT_TASK_CONCURRENCY = 4;
const CLAIMS_PER_TICK = 100;
const FORGET_EVERY_MS = 3_600_000;

export function createEngine(deps: EngineDependencies): Engine {
  const now = deps.now ?? (() => new Date());
  const services = createServices(deps, now, () => system);
  const { read, write } = deps.store;
  const shared = { read, write, now, newId: newUuid, services };
  const contextOf = (principal: Principal): Context => {
    const ctx: Context = { principal, ...shared, onCommit: (effect) => effect(ctx) };
    return ctx;
  };
  const system = contextOf(adminSession("system"));
  const noteRefusal = refusalNoter(system);
  const tickers: NodeJS.Timeout[] = [];
  let is_stopping = false;
  const every = (interval_ms: number, work: (ctx: Context) => Promise<void>): void => {
    const ticker = setInterval(() => void attempt(system, work), interval_ms);
    tickers.push(ticker.unref());
  };

  return {
    call: (principal, operation, input, door) =>
      invoke(contextOf(principal), operation, input, door),
    async chat(principal, input, extras = {}) {
      requireGuard(principal, "chat");
      if (is_stopping) throw new EngineError("unavailable", "the server is stopping");
      return startChat(contextOf(principal), parseInput(ChatInput, input) as ChatInput, extras);
    },
    follow: (principal, input) => openSessionStream(contextOf(principal), input),
    authenticate: (header, place) => authenticate(system, header, place).catch(noteRefusal),
    admit: (principal, header) => services.rate_limits.admit(principal, header, now().getTime()),
    load: () => ({
      running_turns: services.turns.jobIds().length,
      waiting_turns: services.turns.waiting(),
    }),
    usedTokens: () => readTokens(system),
    async start({ takes_tasks = true } = {}) {
      await seedSettings(system);
      await write((tx) => tx.jobs.release(deps.owner));
      await takeUpTurns(system);
      await attempt(system, startIndexing);
      await attempt(system, forgetOutdated);
      if (takes_tasks) await services.tasks.start(system);
      // A process that does not serve connects to what it uses.
      if (takes_tasks) await services.mcp_servers.start();
      every(TICK_MS, keepLeases);
      every(TICK_MS, tickServers);
      every(FORGET_EVERY_MS, forgetOutdated);
    },
    async stop(patience_ms) {
      is_stopping = true;
      for (const ticker of tickers) clearInterval(ticker);
      await services.indexing.stop();
      if (tickers.length === 0) return;
      await services.tasks.stop();
      await services.turns.drain(system, patience_ms);
      await services.mcp_servers.stop();
    },
  };
}

/** `system` is for what is done without anybody having asked. */
function createServices(
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

async function startIndexing(ctx: Context): Promise<void> {
  if (!ctx.services.embedded_model)
    ctx.services.log.warn({}, "this build has no embedded model: it searches by words alone");
  await queueMissingVectors(ctx, await ctx.read.knowledge_bases.list());
  ctx.services.indexing.wake(ctx);
}

/** Monitoring must go on telling the rest when the store is what fails. */
async function readTokens({ read, services }: Context): Promise<Record<string, number>> {
  try {
    const used = await read.usage.getCounter(TOTAL);
    return { prompt: used?.prompt_tokens ?? 0, completion: used?.completion_tokens ?? 0 };
  } catch (error) {
    services.log.error({ err: error }, "token totals can't be read");
    return {};
  }
}

async function seedSettings(ctx: Context): Promise<void> {
  const known = new Set((await ctx.read.settings.list()).map(({ key }) => key));
  const missing = Object.entries(SEEDED_SETTINGS).filter(([key]) => !known.has(key));
  if (missing.length === 0) return;
  const updated_at = ctx.now().toISOString();
  await ctx.write(async (tx) => {
    for (const [key, value] of missing) await tx.settings.put({ key, value, updated_at });
  });
}

/** Work that nobody asked for must not take the process down; the next round tries again. */
async function attempt(ctx: Context, work: (ctx: Context) => Promise<void>): Promise<void> {
  try {
    await work(ctx);
  } catch (error) {
    ctx.services.log.error({ err: error, work: work.name }, "recurring work failed");
  }
}

const tickServers = ({ services }: Context): Promise<void> => services.mcp_servers.tick();

async function keepLeases(ctx: Context): Promise<void> {
  const { turns, indexing } = ctx.services;
  const ids = turns.jobIds();
  if (ids.length > 0) {
    const lease = { owner: turns.owner, until_ms: ctx.now().getTime() + LEASE_MS };
    await ctx.write((tx) => tx.jobs.extend(ids, lease));
  }
  await takeUpTurns(ctx);
  indexing.wake(ctx);
  await ctx.services.tasks.tick();
}

async function takeUpTurns(ctx: Context): Promise<void> {
  const claimable = await ctx.read.jobs.listClaimable(ctx.now().getTime(), CLAIMS_PER_TICK);
  // One that can't be taken up must not hold up the others.
  for (const job of claimable)
    await attempt(ctx, function takeUp() {
      return ctx.services.turns.takeUp(ctx, job);
    });
}
