import { attempt } from "./attempt.ts";
import type { Door } from "./audit/audit.ts";
import { refusalNoter } from "./audit/refusals.ts";
import { authenticate } from "./auth/authenticate.ts";
import type { Context } from "./context.ts";
import { createServices, type EngineDependencies } from "./create-services.ts";
import { EngineError } from "./kernel/error.ts";
import { newUuid } from "./kernel/ids.ts";
import { adminSession, type Principal, requireGuard } from "./kernel/principal.ts";
import { startIndexing } from "./knowledge/indexing.ts";
import type { OAuthPlace } from "./oauth/place.ts";
import { invoke, type Operation, parseInput } from "./operation.ts";
import type { Allowance } from "./rate-limits/rate-limit.ts";
import type { ReadHeader } from "./rate-limits/rate-limits.ts";
import { forgetOutdated } from "./retention.ts";
import { type AcceptedTurn, type ChatExtras, ChatInput, startChat } from "./runtime/chat.ts";
import { LEASE_MS } from "./runtime/live-turns.ts";
import { keepLeases, takeUpTurns } from "./runtime/take-up.ts";
import { type FollowedSession, openSessionStream } from "./sessions/follow.ts";
import { seedSettings } from "./settings/seed.ts";
import { usedTokens } from "./usage/meter.ts";

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

/** Numbers for monitoring. */
export interface Load {
  readonly running_turns: number;
  readonly waiting_turns: number;
}

/** Claims are looked for this often, too: a dead neighbour's turn waits for one lease and one tick. */
const TICK_MS = LEASE_MS / 3;
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
    usedTokens: () => usedTokens(system),
    async start({ takes_tasks = true } = {}) {
      await seedSettings(system);
      await write((tx) => tx.jobs.release(deps.owner));
      await takeUpTurns(system);
      await attempt(system, startIndexing);
      await attempt(system, forgetOutdated);
      if (takes_tasks) await services.tasks.start(system);
      // A process that does not serve connects to what it uses.
      if (takes_tasks) await services.mcp_servers.start();
      every(TICK_MS, keepWorking);
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

async function keepWorking(ctx: Context): Promise<void> {
  await keepLeases(ctx);
  await takeUpTurns(ctx);
  ctx.services.indexing.wake(ctx);
  await ctx.services.tasks.tick();
}

const tickServers = ({ services }: Context): Promise<void> => services.mcp_servers.tick();
