import { z } from "zod";
import { Timestamp } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";
import { pageInput, pageOf, type Slice } from "../kernel/page.ts";
import type { Principal } from "../kernel/principal.ts";

export const AuditQuery = z.object({
  actor_type: z.string().optional(),
  action: z.string().optional(),
  resource: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  ...pageInput(LIMITS.audit_page),
});

/** Who did what, when (contract 2.18). */
export const AuditEntry = z.object({
  id: z.string(),
  timestamp: Timestamp,
  actor_type: z.string(),
  actor_id: z.string(),
  action: z.string(),
  /** `METHOD /path`, or the name of what was called without HTTP. */
  resource: z.string(),
  /** JSON text; never holds a secret, as it holds nothing of a body. */
  details: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export const AuditPage = pageOf(AuditEntry);

/** `from` and `to` are inclusive bounds on `timestamp`. */
export interface AuditFilter {
  readonly actor_type?: string | undefined;
  readonly action?: string | undefined;
  readonly resource?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface AuditReads {
  /** Newest first. */
  list(filter: AuditFilter, slice: Slice): Promise<AuditEntry[]>;
  count(filter: AuditFilter): Promise<number>;
}

export interface AuditWrites extends AuditReads {
  append(entry: AuditEntry): Promise<void>;
}

/** The door an operation was called through, as the record names it. */
export interface Door {
  readonly resource: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Who acts, in the record's words. */
export interface Actor {
  readonly actor_type: string;
  readonly actor_id: string;
}

const ACTOR_TYPES: Readonly<Record<Principal["kind"], string>> = {
  admin_session: "admin",
  api_token: "api_token",
  end_user: "end_user",
  oauth_client: "oauth_client",
  anonymous: "system",
};

export const actorOf = ({ kind, subject }: Principal): Actor => ({
  actor_type: subject === "system" ? "system" : ACTOR_TYPES[kind],
  actor_id: subject,
});

/** What the record calls an operation; existing clients filter by these. */
const ACTIONS: Readonly<Record<string, string>> = {
  "agents.create": "agent.create",
  "agents.replace": "agent.update",
  "agents.patch": "agent.update",
  "agents.delete": "agent.delete",
  "relations.create": "agent_relation.create",
  "relations.delete": "agent_relation.delete",
  "schemas.create": "schema.create",
  "schemas.replace": "schema.update",
  "schemas.patch": "schema.update",
  "schemas.delete": "schema.delete",
  "models.create": "model.create",
  "models.replace": "model.update",
  "models.patch": "model.update",
  "models.delete": "model.delete",
  "knowledge_graphs.import": "kg.bundle.import",
  "knowledge_graphs.delete": "kg.bundle.delete",
  "knowledge_graphs.schemas.put": "kg.schema.upsert",
  "knowledge_graphs.entities.create": "kg.entity.create",
  "knowledge_graphs.entities.replace": "kg.entity.update",
  "knowledge_graphs.entities.delete": "kg.entity.delete",
  "mcp_servers.create": "mcp.create",
  "mcp_servers.replace": "mcp.update",
  "mcp_servers.patch": "mcp.update",
  "mcp_servers.delete": "mcp.delete",
  "settings.update": "setting.update",
  "sessions.delete": "session.delete",
  "auth.tokens.create": "token.create",
  "auth.tokens.revoke": "token.revoke",
  "oauth.approve": "oauth.approve",
  "oauth.token": "oauth.token",
  "oauth.clients.remove": "oauth.client.remove",
};

export const AUTH_SUCCESS = "auth.success";
export const AUTH_FAIL = "auth.fail";
export const CHAT_MESSAGE = "chat.message";
export const OAUTH_REVOKE = "oauth.revoke";
export const MCP_TOOL_CALL = "mcp.tool.call";

export const actionOf = (operation: string): string => ACTIONS[operation] ?? "api_call";
