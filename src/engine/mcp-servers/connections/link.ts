import { EngineError } from "../../kernel/error.ts";
import { type RemoteResult, type RemoteTool, usableTools } from "../remote-tool.ts";
import type { McpServerRecord } from "../server.ts";
import {
  type CallOptions,
  type Connection,
  type ConnectionListener,
  type ConnectLimits,
  isServerFailure,
  type Target,
} from "./connection.ts";
import { createKeeper, type KeeperStatus, reasonOf } from "./keeper.ts";
import { forwardingNothing } from "./server-fetch.ts";

export interface LinkStatus extends KeeperStatus {
  readonly tools_count: number;
}

/** The way to one server as it is configured now, and what it offers. */
export interface Link {
  readonly server: McpServerRecord;
  status(): LinkStatus;
  /** As last listed. */
  tools(): readonly RemoteTool[];
  /** Connects, or waits for who does already, for `patience_ms` at most. Throws `unavailable`. */
  open(patience_ms: number): Promise<void>;
  /** How long a turn may wait: not long for one that failed before, not at all right after. */
  patience(): number;
  /** Asks again for the tools, over the connection there is. Throws `unavailable`. */
  relist(): Promise<void>;
  /** Throws a ServerFailure. */
  call(
    tool: RemoteTool,
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<RemoteResult>;
  /** Recurring work: the tools are listed again, and a program that nobody uses is ended. */
  tick(): void;
  close(): Promise<void>;
}

export interface LinkDependencies {
  readonly idle_ms: number;
  /** Throws `unavailable` when the server can't be reached as it is configured. */
  target(): Target;
  connect(target: Target, listener: ConnectionListener, limits: ConnectLimits): Promise<Connection>;
  now(): Date;
  onTools(tools: readonly RemoteTool[]): void;
  onTrouble(reason: string): void;
}

export const CONNECT_MS = 10_000;
const PATIENCE_AFTER_FAILURE_MS = 2_000;
/** So soon after a failure it is not tried again for a turn. */
const PAUSE_MS = 5_000;

export function createLink(server: McpServerRecord, deps: LinkDependencies): Link {
  let tools: readonly RemoteTool[] = [];
  let listed_ms = 0;
  let used_ms = performance.now();
  let busy = 0;

  const list = async (from: Connection): Promise<void> => {
    const listed = await from.listTools();
    tools = usableTools(listed);
    listed_ms = performance.now();
    if (tools.length < listed.length)
      deps.onTrouble(`${listed.length - tools.length} of its tools are too many or too large`);
    deps.onTools(tools);
  };
  const keeper = createKeeper({
    ...deps,
    // A connection serves whoever comes later, too: it must not keep what one caller sent along.
    connect: (onClosed, signal) =>
      forwardingNothing(async () => {
        const onToolsChanged = () => void relist().catch(tellTrouble);
        const limits = { timeout_ms: CONNECT_MS, signal };
        const made = await deps.connect(deps.target(), { onToolsChanged, onClosed }, limits);
        try {
          await list(made);
          return made;
        } catch (error) {
          await made.close().catch(() => undefined);
          throw error;
        }
      }),
  });
  const tellTrouble = (error: unknown): void => deps.onTrouble(reasonOf(error));
  const relist = async (): Promise<void> => {
    const connection = keeper.connection();
    if (!connection) throw new EngineError("unavailable", "it is not connected");
    try {
      await list(connection);
    } catch (error) {
      throw new EngineError("unavailable", reasonOf(error));
    }
  };

  return {
    server,
    status: () => ({ ...keeper.status(), tools_count: tools.length }),
    tools: () => tools,
    patience() {
      const { count, since_ms } = keeper.failures();
      if (count === 0) return CONNECT_MS;
      return since_ms < PAUSE_MS ? 0 : PATIENCE_AFTER_FAILURE_MS;
    },
    async open(patience_ms) {
      used_ms = performance.now();
      if (keeper.connection()) return;
      if (patience_ms === 0 && !keeper.isOpening())
        throw new EngineError("unavailable", keeper.status().status_message ?? "not connected");
      await within(keeper.open(), patience_ms);
    },
    relist,
    async call(tool, input, options) {
      busy += 1;
      const was_connected = keeper.connection() !== undefined;
      const attempt = async () => (await keeper.open()).callTool(tool, input, options);
      try {
        return await attempt();
      } catch (error) {
        if (!(was_connected && isServerFailure(error) && error.failure === "gone")) throw error;
        // The server was started anew and knows nothing of the session: nothing was done in it.
        await keeper.drop();
        return await attempt();
      } finally {
        busy -= 1;
        used_ms = performance.now();
      }
    },
    tick() {
      const now_ms = performance.now();
      const { type, catalog_refresh_interval_seconds: interval_s } = server;
      if (!keeper.connection()) return;
      if (type === "stdio" && busy === 0 && now_ms - used_ms > deps.idle_ms)
        void keeper.drop("idle; it is started again when it is needed");
      else if (interval_s !== undefined && now_ms - listed_ms > interval_s * 1000)
        void relist().catch(tellTrouble);
    },
    close: keeper.close,
  };
}

async function within<Result>(work: Promise<Result>, patience_ms: number): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const tooLate = new EngineError("unavailable", "it is still connecting");
  const timer = setTimeout(() => late.reject(tooLate), patience_ms);
  try {
    return await Promise.race([work, late.promise]);
  } catch (error) {
    throw new EngineError("unavailable", reasonOf(error));
  } finally {
    clearTimeout(timer);
  }
}
