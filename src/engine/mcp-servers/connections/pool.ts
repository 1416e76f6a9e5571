import type { Context } from "../../context.ts";
import { EngineError } from "../../kernel/error.ts";
import { sha256 } from "../../kernel/ids.ts";
import { type ForwardedHeaders, selectHeaders } from "../forwarded-headers.ts";
import { noteTools } from "../note-tools.ts";
import { digestOf, type RemoteResult, type RemoteTool, usableTools } from "../remote-tool.ts";
import { targetText } from "../rules.ts";
import type { McpServerRecord } from "../server.ts";
import { CALL_TOTAL_MS, isServerFailure } from "./connection.ts";
import { reasonOf } from "./keeper.ts";
import {
  CONNECT_MS,
  createLink,
  type Link,
  type LinkDependencies,
  type LinkStatus,
} from "./link.ts";
import { forwarding } from "./server-fetch.ts";
import { type Surroundings, secretHider, targetOf } from "./target.ts";

export interface ToolCall {
  readonly tool: RemoteTool;
  readonly input: Record<string, unknown>;
  /** All that may be forwarded; the server gets those that it names. */
  readonly headers: ForwardedHeaders;
  readonly idempotency_key: string;
  readonly signal: AbortSignal;
}

/** The connections of this process to MCP servers. */
export interface McpServers {
  statusOf(server: McpServerRecord): LinkStatus;
  /** Connects in the background, anew when it was changed. Nothing happens in a process that does not serve. */
  wake(server: McpServerRecord): void;
  /** The tools of a server, connecting to it if need be. Throws `unavailable` with the reason. */
  listTools(server: McpServerRecord): Promise<readonly RemoteTool[]>;
  /** Differs when a tool's definition does, or what is run or called for it: what was approved was this one. */
  toolDigest(server_id: string, name: string): string;
  /** Throws EngineError: `timeout`, or `unavailable` with the reason. */
  call(server_id: string, call: ToolCall): Promise<RemoteResult>;
  /** Asks for the tools again. Throws `unavailable`. */
  refresh(server: McpServerRecord): Promise<readonly RemoteTool[]>;
  /** Connects once, apart from the connection in use, and ends it again. Throws `unavailable`. */
  test(server: McpServerRecord): Promise<readonly RemoteTool[]>;
  /** It was deleted or renamed. */
  forget(server: McpServerRecord): void;
  /** Connects to all that are enabled, and from now on keeps up with what is configured. */
  start(): Promise<void>;
  /** Recurring work. */
  tick(): Promise<void>;
  /** Ends every connection and connects anew. */
  restart(): Promise<void>;
  /** Ends every connection; resolves when no program runs any more. */
  stop(): Promise<void>;
}

export interface McpServersOptions extends Surroundings {
  readonly version: string;
  /** How long a call may go without a word from its server. */
  readonly call_ms: number;
  /** How long a program is kept that nobody uses. */
  readonly idle_ms: number;
  /** For what this process does of its own accord. */
  readonly system: () => Context;
}

/** The links by their servers' ids; a server that was changed gets a new one. */
function createLinks(options: McpServersOptions) {
  const links = new Map<string, Link>();
  const of = (server: McpServerRecord): Link => {
    const known = links.get(server.id);
    // Who read the server before it was changed must not bring its old connection back.
    if (known && known.server.updated_at >= server.updated_at) return known;
    void known?.close();
    const link = createLink(server, {
      idle_ms: options.idle_ms,
      target: () => targetOf(server, options),
      connect: connector(options),
      now: () => options.system().now(),
      onTools: (tools) => void noteTools(options.system(), server, tools),
      onTrouble: (reason) =>
        options.system().services.log.warn({ mcp_server: server.name, reason }, "MCP server"),
    });
    links.set(server.id, link);
    return link;
  };
  const drop = async (id: string): Promise<void> => {
    const link = links.get(id);
    links.delete(id);
    await link?.close();
  };
  return {
    of,
    drop,
    get: (id: string) => links.get(id),
    all: () => [...links.values()],
    dropAll: () => Promise.all([...links.keys()].map(drop)),
  };
}

/** Loads the protocol when it is first needed: many installations have no server. */
const connector =
  ({ version }: McpServersOptions): LinkDependencies["connect"] =>
  async (target, listener, limits) => {
    const { connectTo } = await import("./protocol.ts");
    const hide = secretHider(target);
    const told = { ...listener, onClosed: (reason: string) => listener.onClosed(hide(reason)) };
    try {
      return await connectTo(target, version, told, limits);
    } catch (error) {
      if (isServerFailure(error)) throw { ...error, message: hide(error.message) };
      throw error;
    }
  };

export function createMcpServers(options: McpServersOptions): McpServers {
  const links = createLinks(options);
  let is_serving = false;

  const wake = (server: McpServerRecord): void => {
    if (!is_serving) return;
    if (!server.enabled) void links.drop(server.id);
    else
      void links
        .of(server)
        .open(CONNECT_MS)
        .catch(() => undefined);
  };
  const keepUp = async (): Promise<void> => {
    if (!is_serving) return;
    const servers = (await options.system().read.mcp_servers.list()).filter((one) => one.enabled);
    const ids = new Set(servers.map(({ id }) => id));
    for (const { server } of links.all()) if (!ids.has(server.id)) void links.drop(server.id);
    for (const server of servers)
      if (links.get(server.id)?.server.updated_at !== server.updated_at) wake(server);
  };

  return {
    statusOf: ({ id }) => links.get(id)?.status() ?? { status: "disconnected", tools_count: 0 },
    wake,
    async listTools(server) {
      const link = links.of(server);
      await link.open(link.patience());
      return link.tools();
    },
    toolDigest(server_id, name) {
      const link = links.get(server_id);
      const tool = link?.tools().find((one) => one.name === name);
      return link && tool ? sha256(targetText(link.server) + digestOf(tool)) : "gone";
    },
    async call(server_id, call) {
      // As it is now: a turn must not go on calling what was taken away in the middle of it.
      const server = await options.system().read.mcp_servers.get(server_id);
      if (!server?.enabled)
        throw new EngineError("unavailable", "the MCP server is not there any more");
      return callTool(options, links.of(server), call);
    },
    async refresh(server) {
      // A process that does not serve keeps no connection for its end to wait for.
      if (!is_serving) return tryOnce(options, server);
      const link = links.of(server);
      const was_connected = link.status().status === "connected";
      await link.open(CONNECT_MS);
      // One that was connected just now has listed its tools.
      if (was_connected) await link.relist();
      return link.tools();
    },
    test: (server) => tryOnce(options, server),
    forget(server) {
      void links.drop(server.id);
      options.system().services.breakers.forget(server.name);
    },
    async start() {
      is_serving = true;
      await keepUp();
    },
    async tick() {
      await keepUp();
      for (const link of links.all()) link.tick();
    },
    async restart() {
      await links.dropAll();
      await keepUp();
    },
    async stop() {
      is_serving = false;
      await links.dropAll();
    },
  };
}

async function callTool(
  { call_ms, system }: McpServersOptions,
  link: Link,
  { tool, input, headers, ...call }: ToolCall,
): Promise<RemoteResult> {
  const limits = { silence_ms: call_ms, total_ms: CALL_TOTAL_MS };
  const own = selectHeaders(link.server, headers);
  const work = () => forwarding(own, () => link.call(tool, input, { ...call, ...limits }));
  try {
    return await system().services.breakers.guard(link.server.name, work, isOutage);
  } catch (error) {
    throw explainFailure(error, link.server, tool, call_ms);
  }
}

async function tryOnce(
  options: McpServersOptions,
  server: McpServerRecord,
): Promise<readonly RemoteTool[]> {
  const listener = { onToolsChanged: () => undefined, onClosed: () => undefined };
  try {
    const connect = connector(options);
    const limits = { timeout_ms: CONNECT_MS, signal: new AbortController().signal };
    const connection = await connect(targetOf(server, options), listener, limits);
    try {
      return usableTools(await connection.listTools());
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw new EngineError("unavailable", reasonOf(error));
  }
}

/** What the server itself says of a request is no sign that it is down. */
const isOutage = (error: unknown): boolean =>
  !isServerFailure(error) || (error.failure !== "refused" && error.failure !== "cancelled");

function explainFailure(
  error: unknown,
  { name }: McpServerRecord,
  tool: RemoteTool,
  call_ms: number,
): unknown {
  if (!isServerFailure(error)) return error;
  switch (error.failure) {
    case "timeout":
      return new EngineError("timeout", `tool_timeout: ${tool.name} exceeded ${call_ms}ms`);
    case "cancelled":
      return new EngineError("cancelled", "the call was cancelled");
    case "refused":
      return new EngineError(
        "unavailable",
        `MCP server "${name}" refused the call: ${error.message}`,
      );
    case "gone":
      return new EngineError(
        "unavailable",
        `MCP server "${name}" cannot be reached: ${error.message}`,
      );
    case "lost":
      return new EngineError(
        "unavailable",
        `MCP server "${name}" was lost while the call was running, so its outcome is unknown: ${error.message}`,
      );
  }
}
