import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { HttpUrl, Name, Timestamp, Uuid } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";
import { findByIdOrName } from "../kernel/reference.ts";

const ServerType = z.enum(["stdio", "http", "sse", "streamable-http"]);
export type ServerType = z.infer<typeof ServerType>;

const AuthType = z.enum(["none", "api_key", "forward_headers", "oauth2", "service_account"]);
export type AuthType = z.infer<typeof AuthType>;

const { mcp_refresh_interval_s: INTERVAL, mcp_server_entries: ENTRIES } = LIMITS;

const ShortText = z.string().max(LIMITS.mcp_short_text_characters);
const LongText = z.string().max(LIMITS.mcp_long_text_characters);

/** Writable fields. No `.default()`: a PATCH must tell "absent" from "default". */
const ServerFields = z.object({
  type: ServerType,
  command: LongText,
  args: z.array(LongText).max(ENTRIES),
  url: z.union([z.literal(""), HttpUrl.max(LIMITS.mcp_long_text_characters)]),
  /** Values are kept sealed; `${NAME}` for the value of NAME leaves it as it is. */
  env_vars: z
    .record(z.string(), LongText)
    .refine(
      (variables) => Object.keys(variables).length <= ENTRIES,
      `must have at most ${ENTRIES} entries`,
    ),
  forward_headers: z.array(ShortText).max(ENTRIES),
  auth_type: AuthType,
  auth_key_env: ShortText,
  auth_token_env: ShortText,
  auth_client_id: ShortText,
  /** An explicit null turns it off. */
  catalog_refresh_interval_seconds: z
    .int()
    .min(INTERVAL.min, `must be ${INTERVAL.min} to ${INTERVAL.max} seconds`)
    .max(INTERVAL.max, `must be ${INTERVAL.min} to ${INTERVAL.max} seconds`)
    .nullable(),
  enabled: z.boolean(),
});

/** `{name}` in a path: the server's name or its UUID. */
export const ServerKey = z.object({ name: z.string().min(1) });
export const ServerCreate = ServerFields.partial().required({ type: true }).extend({ name: Name });
export const ServerReplace = ServerFields.partial()
  .required({ type: true })
  .extend({ ...ServerKey.shape, rename: Name.optional() });
export const ServerPatch = ServerFields.partial().extend({
  ...ServerKey.shape,
  rename: Name.optional(),
});
export type ServerInput = Partial<z.output<typeof ServerFields>>;

/** An MCP server as clients see it: of its variables only the names (contract 2.15). */
export const McpServer = z.object({
  id: Uuid,
  name: z.string(),
  type: ServerType,
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  url: z.string().optional(),
  env_vars: z.record(z.string(), z.string()).optional(),
  forward_headers: z.array(z.string()).optional(),
  auth_type: AuthType,
  auth_key_env: z.string().optional(),
  auth_token_env: z.string().optional(),
  auth_client_id: z.string().optional(),
  catalog_refresh_interval_seconds: z.int().optional(),
  enabled: z.boolean(),
  agents: z.array(z.string()),
  /** Of the connection that this process has. */
  status: z.object({
    status: z.enum(["connected", "error", "connecting", "disconnected"]),
    status_message: z.string().optional(),
    tools_count: z.int(),
    connected_at: Timestamp.optional(),
  }),
  created_at: Timestamp,
});

/** A server as it is stored. */
export interface McpServerRecord {
  readonly id: string;
  readonly name: string;
  readonly type: ServerType;
  readonly command?: string | undefined;
  readonly args: string[];
  readonly url?: string | undefined;
  /** Each value sealed. */
  readonly sealed_env_vars: Record<string, string>;
  readonly forward_headers: string[];
  readonly auth_type: AuthType;
  readonly auth_key_env?: string | undefined;
  readonly auth_token_env?: string | undefined;
  readonly auth_client_id?: string | undefined;
  readonly catalog_refresh_interval_seconds?: number | undefined;
  readonly enabled: boolean;
  /** An administrator chose what it connects to: it may have a private address, and is believed more. */
  readonly is_trusted: boolean;
  /** What each of its tools was like when they were last listed: shows when one has changed. */
  readonly tool_digests?: Record<string, string> | undefined;
  readonly created_at: string;
  /** Of another moment after every change: what tells a connection that it is outdated. */
  readonly updated_at: string;
}

export interface McpServerReads {
  /** Oldest first. */
  list(): Promise<McpServerRecord[]>;
  get(id: string): Promise<McpServerRecord | undefined>;
  getByName(name: string): Promise<McpServerRecord | undefined>;
  /** In the order in which the agent lists them. */
  listByAgent(agent_id: string): Promise<McpServerRecord[]>;
  listAgentNames(server_id: string): Promise<string[]>;
}

export interface McpServerWrites extends McpServerReads {
  insert(server: McpServerRecord): Promise<void>;
  update(id: string, fields: Partial<McpServerRecord>): Promise<void>;
  /** Agents lose it. */
  delete(id: string): Promise<void>;
  link(server_id: string, agent_id: string): Promise<void>;
  unlinkAgent(agent_id: string): Promise<void>;
}

/** By name or id. Throws `not_found`. */
export async function requireServer(
  { mcp_servers }: { readonly mcp_servers: McpServerReads },
  key: string,
): Promise<McpServerRecord> {
  const server = await findByIdOrName(mcp_servers, key);
  if (!server) throw notFound("MCP server", key);
  return server;
}
