import { z } from "zod";
import type { Context } from "../context.ts";
import { conflict } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { mayUsePrivateAddresses } from "../kernel/principal.ts";
import { defineOperation } from "../operation.ts";
import type { Reads } from "../store.ts";
import { isMoved, requireAuthority, requireSound } from "./rules.ts";
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
  run: async ({ read }) => {
    const servers = await read.mcp_servers.list();
    return Promise.all(servers.map((server) => toServer(read, server)));
  },
});

export const getMcpServer = defineOperation({
  name: "mcp_servers.get",
  summary: "Read an MCP server, by name or id",
  scope: "mcp:read",
  effect: "read",
  input: ServerKey,
  output: McpServer,
  run: async ({ read }, { name }) => toServer(read, await requireServer(read, name)),
});

export const createMcpServer = defineOperation({
  name: "mcp_servers.create",
  summary: "Create an MCP server; it is connected in the background",
  scope: "mcp:write",
  effect: "write",
  input: ServerCreate,
  output: McpServer,
  run: (ctx, { name, ...input }) =>
    ctx.write(async (tx) => {
      await requireFreeName(tx, name);
      const server = withInput(ctx, blank(ctx, name, input.type), input);
      requireAuthority(ctx.principal, ctx.services.stdio_policy, server);
      await tx.mcp_servers.insert(server);
      return toServer(tx, server);
    }),
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
  run: (ctx, { name }) =>
    ctx.write(async (tx) => {
      const server = await requireServer(tx, name);
      await tx.mcp_servers.delete(server.id);
      return undefined;
    }),
});

/** `startFrom` is what the supplied fields are laid over. */
function update(
  ctx: Context,
  { name, rename, ...input }: z.output<typeof ServerPatch>,
  startFrom: (server: McpServerRecord) => McpServerRecord,
): Promise<z.input<typeof McpServer>> {
  return ctx.write(async (tx) => {
    const before = await requireServer(tx, name);
    const server = { ...withInput(ctx, startFrom(before), input), name: rename ?? before.name };
    requireAuthority(ctx.principal, ctx.services.stdio_policy, server, before);
    if (server.name !== before.name) await requireFreeName(tx, server.name);
    const is_trusted = isMoved(before, server)
      ? mayUsePrivateAddresses(ctx.principal)
      : before.is_trusted;
    const next = { ...server, is_trusted, updated_at: ctx.now().toISOString() };
    await tx.mcp_servers.update(before.id, next);
    return toServer(tx, next);
  });
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
  { env_vars, ...input }: ServerInput,
): McpServerRecord {
  const fields = Object.entries(input).map(([key, value]) => [key, cleared(value)]);
  const merged: McpServerRecord = {
    ...before,
    ...(Object.fromEntries(fields) as Partial<McpServerRecord>),
    ...(env_vars && {
      sealed_env_vars: sealVariables(services.secrets, env_vars, before.sealed_env_vars),
    }),
  };
  const server: McpServerRecord =
    merged.type === "stdio"
      ? { ...merged, url: undefined }
      : { ...merged, command: undefined, args: [] };
  requireSound(server);
  return server;
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
  { mcp_servers }: Pick<Reads, "mcp_servers">,
  server: McpServerRecord,
): Promise<z.input<typeof McpServer>> {
  const { sealed_env_vars, args, forward_headers, ...fields } = server;
  const names = Object.keys(sealed_env_vars);
  return {
    ...fields,
    ...(args.length > 0 && { args }),
    ...(forward_headers.length > 0 && { forward_headers }),
    ...(names.length > 0 && { env_vars: maskedVariables(names) }),
    agents: await mcp_servers.listAgentNames(server.id),
  };
}
