import { z } from "zod";
import type { Context } from "../context.ts";
import { conflict, EngineError } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { mayUsePrivateAddresses } from "../kernel/principal.ts";
import { defineOperation } from "../operation.ts";
import type { Reads } from "../store.ts";
import { isMoved, requireAuthority, requireSound } from "./rules.ts";
import { withoutSecrets } from "./secret-url.ts";
import {
  McpServer,
  type McpServerRecord,
  requireServer,
  ServerCreate,
  type ServerInput,
  ServerKey,
  ServerPatch,
  ServerReplace,
} from "./server.ts";
import { maskedVariables, sealVariables } from "./variables.ts";

export const listMcpServers = defineOperation({
  name: "mcp_servers.list",
  summary: "List MCP servers",
  scope: "mcp:read",
  effect: "read",
  input: z.object({}),
  output: z.array(McpServer),
  run: async (ctx) => {
    const servers = await ctx.read.mcp_servers.list();
    return Promise.all(servers.map((server) => toServer(ctx, ctx.read, server)));
  },
});

export const getMcpServer = defineOperation({
  name: "mcp_servers.get",
  summary: "Read an MCP server, by name or id",
  scope: "mcp:read",
  effect: "read",
  input: ServerKey,
  output: McpServer,
  run: async (ctx, { name }) => toServer(ctx, ctx.read, await requireServer(ctx.read, name)),
});

export const createMcpServer = defineOperation({
  name: "mcp_servers.create",
  summary: "Create an MCP server; it is connected in the background",
  scope: "mcp:write",
  effect: "write",
  input: ServerCreate,
  output: McpServer,
  run: async (ctx, { name, ...input }) => {
    const created = await ctx.write(async (tx) => {
      await requireFreeName(tx, name);
      const server = withInput(ctx, blank(ctx, name, input.type), input);
      requireAuthority(ctx.principal, ctx.services.stdio_policy, server);
      await tx.mcp_servers.insert(server);
      return server;
    });
    ctx.onCommit(({ services }) => services.mcp_servers.wake(created));
    return { ...toPublic(ctx, created), agents: [] };
  },
});

export const replaceMcpServer = defineOperation({
  name: "mcp_servers.replace",
  summary: "Replace an MCP server's fields",
  scope: "mcp:write",
  effect: "write",
  input: ServerReplace,
  output: McpServer,
  run: (ctx, input) =>
    update(ctx, input, ({ name, created_at, enabled, sealed_env_vars, id }) => {
      const { env_vars } = input;
      // What is masked in the request refers to the values that there are.
      const kept = env_vars ? { sealed_env_vars } : {};
      return { ...blank(ctx, name, input.type), ...kept, id, created_at, enabled };
    }),
});

export const patchMcpServer = defineOperation({
  name: "mcp_servers.patch",
  summary: "Change the supplied fields of an MCP server",
  scope: "mcp:write",
  effect: "write",
  input: ServerPatch,
  output: McpServer,
  run: (ctx, input) => update(ctx, input, (server) => server),
});

export const deleteMcpServer = defineOperation({
  name: "mcp_servers.delete",
  summary: "Delete an MCP server; its agents lose its tools",
  scope: "mcp:write",
  effect: "destroy",
  input: ServerKey,
  output: Nothing,
  run: async (ctx, { name }) => {
    const deleted = await ctx.write(async (tx) => {
      const server = await requireServer(tx, name);
      await tx.mcp_servers.delete(server.id);
      return server;
    });
    ctx.onCommit(({ services }) => services.mcp_servers.forget(deleted));
    return undefined;
  },
});

/** Connections live in memory, and the audit log tells of what is written. */
const RECORDED_ONLY = async (): Promise<void> => undefined;

const ToolList = z.array(z.object({ name: z.string(), description: z.string().optional() }));

export const refreshMcpServer = defineOperation({
  name: "mcp_servers.refresh",
  summary: "Ask an MCP server for its tools again, over the connection there is",
  scope: "mcp:write",
  effect: "write",
  input: ServerKey,
  output: z.object({ name: z.string(), tools_count: z.int(), tools: ToolList }),
  run: async (ctx, { name }) => {
    const server = await requireServer(ctx.read, name);
    if (!server.enabled) throw notConnected(server, "it is not enabled");
    try {
      const tools = await ctx.services.mcp_servers.refresh(server);
      await ctx.write(RECORDED_ONLY);
      return { name: server.name, tools_count: tools.length, tools: [...tools] };
    } catch (error) {
      if (error instanceof EngineError) throw notConnected(server, error.message);
      throw error;
    }
  },
});

const notConnected = ({ name }: McpServerRecord, why: string) =>
  new EngineError("not_found", `MCP server "${name}" is not connected: ${why}`);

export const testMcpServer = defineOperation({
  name: "mcp_servers.test",
  summary: "Connect to an MCP server once, apart from the connection in use, and list its tools",
  scope: "mcp:write",
  effect: "write",
  input: ServerKey,
  output: z.object({
    name: z.string(),
    connectivity: z.enum(["ok", "error"]),
    response_time_ms: z.int(),
    error: z.string().nullable(),
    tools: ToolList,
  }),
  run: async (ctx, { name: key }) => {
    const server = await requireServer(ctx.read, key);
    const { name } = server;
    // First, as it may run a program.
    await ctx.write(RECORDED_ONLY);
    const started = performance.now();
    const response_time_ms = () => Math.round(performance.now() - started);
    try {
      const tools = [...(await ctx.services.mcp_servers.test(server))];
      const connectivity = "ok" as const;
      return { name, connectivity, response_time_ms: response_time_ms(), error: null, tools };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const failed = { connectivity: "error" as const, error: error.message, tools: [] };
      return { name, response_time_ms: response_time_ms(), ...failed };
    }
  },
});

/** `startFrom` is what the supplied fields are laid over. */
async function update(
  ctx: Context,
  { name, rename, ...input }: z.output<typeof ServerPatch>,
  startFrom: (server: McpServerRecord) => McpServerRecord,
): Promise<z.input<typeof McpServer>> {
  const { before, next } = await ctx.write(async (tx) => {
    const before = await requireServer(tx, name);
    const server = { ...withInput(ctx, startFrom(before), input), name: rename ?? before.name };
    requireAuthority(ctx.principal, ctx.services.stdio_policy, server, before);
    if (server.name !== before.name) await requireFreeName(tx, server.name);
    const moved = isMoved(before, server);
    const is_trusted = moved ? mayUsePrivateAddresses(ctx.principal) : before.is_trusted;
    // What another server's tools are like is no change of this one's.
    const tool_digests = moved ? undefined : before.tool_digests;
    const updated_at = momentAfter(before.updated_at, ctx.now());
    const next = { ...server, is_trusted, tool_digests, updated_at };
    await tx.mcp_servers.update(before.id, next);
    return { before, next };
  });
  ctx.onCommit(({ services }) => {
    if (next.name !== before.name) services.mcp_servers.forget(before);
    services.mcp_servers.wake(next);
  });
  return toServer(ctx, ctx.read, next);
}

/** Never the same twice, as it tells connections that they are outdated. */
function momentAfter(before: string, now: Date): string {
  return new Date(Math.max(now.getTime(), Date.parse(before) + 1)).toISOString();
}

const blank = (ctx: Context, name: string, type: McpServerRecord["type"]): McpServerRecord => ({
  id: ctx.newId(),
  name,
  type,
  command: undefined,
  args: [],
  url: undefined,
  sealed_env_vars: {},
  forward_headers: [],
  auth_type: "none",
  auth_key_env: undefined,
  auth_token_env: undefined,
  auth_client_id: undefined,
  catalog_refresh_interval_seconds: undefined,
  enabled: true,
  is_trusted: mayUsePrivateAddresses(ctx.principal),
  created_at: ctx.now().toISOString(),
  updated_at: ctx.now().toISOString(),
});

/** The server with the supplied fields, and without what its type has no use for. Throws `bad_request`. */
function withInput(
  { services }: Context,
  before: McpServerRecord,
  { env_vars, url, ...input }: ServerInput,
): McpServerRecord {
  const address = url === undefined ? undefined : withoutSecrets(url);
  const variables = withSecrets(env_vars, address?.secrets, before);
  const fields = Object.entries(input).map(([key, value]) => [key, cleared(value)]);
  const merged: McpServerRecord = {
    ...before,
    ...(Object.fromEntries(fields) as Partial<McpServerRecord>),
    ...(address && { url: address.url || undefined }),
    ...(variables && {
      sealed_env_vars: sealVariables(services.secrets, variables, before.sealed_env_vars),
    }),
  };
  const server: McpServerRecord =
    merged.type === "stdio"
      ? { ...merged, url: undefined }
      : { ...merged, command: undefined, args: [] };
  requireSound(server);
  return server;
}

/** What an address held is added to the variables that are given, or else to those that there are. */
function withSecrets(
  given: ServerInput["env_vars"],
  secrets: Readonly<Record<string, string>> = {},
  { sealed_env_vars }: McpServerRecord,
): ServerInput["env_vars"] {
  if (Object.keys(secrets).length === 0) return given;
  return { ...(given ?? maskedVariables(Object.keys(sealed_env_vars))), ...secrets };
}

/** An empty text and an explicit null are no value. */
const cleared = (value: unknown): unknown => (value === "" || value === null ? undefined : value);

async function requireFreeName(
  { mcp_servers }: Pick<Reads, "mcp_servers">,
  name: string,
): Promise<void> {
  if (await mcp_servers.getByName(name)) throw conflict(`MCP server "${name}" already exists`);
}

async function toServer(
  ctx: Pick<Context, "services">,
  { mcp_servers }: Pick<Reads, "mcp_servers">,
  server: McpServerRecord,
): Promise<z.input<typeof McpServer>> {
  return { ...toPublic(ctx, server), agents: await mcp_servers.listAgentNames(server.id) };
}

function toPublic({ services }: Pick<Context, "services">, server: McpServerRecord) {
  const { sealed_env_vars, url, args, forward_headers, ...fields } = server;
  const names = Object.keys(sealed_env_vars);
  return {
    ...fields,
    ...(url !== undefined && { url: withoutSecrets(url).url }),
    ...(args.length > 0 && { args }),
    ...(forward_headers.length > 0 && { forward_headers }),
    ...(names.length > 0 && { env_vars: maskedVariables(names) }),
    status: services.mcp_servers.statusOf(server),
  };
}
