import type { Route } from "#server/http/route.ts";

/** Whom the specification lets in: any of these scopes, or a kind of caller. */
export type Entry = "public" | "authenticated" | "admin_session" | readonly string[];

const readOrWrite =
  (resource: string) =>
  (method: string): Entry => [method === "GET" ? `${resource}:read` : `${resource}:write`];

/**
 * The scope column of specification 4 and of contract 9, by `METHOD /path`: written down a second time,
 * so that an operation with a wrong scope shows. The first row that fits counts.
 */
const ENTRIES: readonly (readonly [RegExp, Entry | ((method: string) => Entry)])[] = [
  [/^GET \/(health|models\/registry(\/providers)?|oauth\/authorize-info)$/, "public"],
  [/^POST \/(auth\/local-session|oauth\/(register|token))$/, "public"],
  [/ \/auth\//, "admin_session"],
  [/^POST \/schemas\/:name\/chat$/, ["chat"]],
  [/^GET \/widget-config$/, ["chat"]],
  [/^POST \/sessions\/:id\/cancel$/, ["chat"]],
  [/^POST \/sessions\/:id\/respond$/, ["chat", "sessions:write"]],
  [/^GET \/sessions\/:id\/events$/, ["chat", "sessions:read"]],
  [/^GET \/(audit\/tool-calls|usage|mcp\/catalog)$/, "authenticated"],
  [/^GET \/schema-templates/, "authenticated"],
  [/ \/mcp\/rpc$/, "authenticated"],
  [/^POST .*\/batch-get$/, ["agents:read"]],
  [/ \/(agents|knowledge-bases|knowledge-graphs)(\/|$)/, readOrWrite("agents")],
  [/ \/models(\/|$)/, readOrWrite("models")],
  [/ \/tasks(\/|$)/, ["tasks"]],
  [/ \/sessions(\/|$)/, readOrWrite("sessions")],
  [/ \/(schemas|schema-templates)(\/|$)/, readOrWrite("schemas")],
  [/ \/mcp-servers(\/|$)/, readOrWrite("mcp")],
  [/^GET \/config\/schema$/, "public"],
  [/ \/config\//, ["config"]],
  [/^GET \/usage-status$/, ["settings:read"]],
  [/ \/settings(\/|$)/, readOrWrite("settings")],
  [/^GET \/audit$/, ["audit:read"]],
  [
    / \/(admin\/usage-limits(\/:scope)?|rate-limits\/usage|oauth\/(approve|clients(\/:id)?))$/,
    ["admin"],
  ],
  [/^GET \/tools\/metadata$/, ["tools:read"]],
  [/ \/resilience\//, readOrWrite("resilience")],
];

/** Throws for a route that nobody has given a row yet. */
export function entryOf({ method, path }: Pick<Route, "method" | "path">): Entry {
  const name = `${method} ${path}`;
  const entry = ENTRIES.find(([pattern]) => pattern.test(name))?.[1];
  if (entry === undefined) throw new Error(`${name}: add its scope to test/support/guards.ts`);
  return typeof entry === "function" ? entry(method) : entry;
}

const API = "chat tasks agents:read models:read mcp:read triggers:read schemas:read sessions:read";
const API_TOO = "settings:read audit:read resilience:read tools:read";
const PROVISION =
  "agents:read agents:write schemas:read schemas:write models:read models:write mcp:read mcp:write sessions:read";

const ALIASES = "agents models mcp schemas sessions settings audit resilience tools".split(" ");

/** The bits that existing clients post (contract 4.13). */
export const BITS: Readonly<Record<string, number>> = {
  chat: 1,
  tasks: 2,
  "agents:read": 4,
  config: 8,
  admin: 16,
  "agents:write": 32,
  "models:read": 64,
  "models:write": 128,
  "mcp:read": 256,
  "mcp:write": 512,
  "triggers:read": 1024,
  "triggers:write": 2048,
  "schemas:read": 4096,
  "schemas:write": 8192,
  "sessions:read": 16_384,
  "sessions:write": 32_768,
  "settings:read": 65_536,
  "settings:write": 131_072,
  "audit:read": 262_144,
  "resilience:read": 524_288,
  "resilience:write": 1_048_576,
  "tools:read": 2_097_152,
  manage: 4_194_304,
};

/** Specification 5: every name that a token is created with, and the plain scopes that it grants. */
export const GRANTS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.keys(BITS).map((name) => [name, [name]])),
  ...Object.fromEntries(ALIASES.map((name) => [name, [`${name}:read`]])),
  api: `${API} ${API_TOO}`.split(" "),
  provision: PROVISION.split(" "),
  manage: `${PROVISION} manage`.split(" "),
};

export const maskOf = (scopes: readonly string[]): number =>
  scopes.reduce((mask, scope) => mask | (BITS[scope] ?? 0), 0);

/** Whether a token with these scopes gets in; `admin` satisfies every scope. */
export function letsIn(entry: Entry, scopes: readonly string[]): boolean {
  if (entry === "public" || entry === "authenticated") return true;
  if (entry === "admin_session") return false;
  return scopes.includes("admin") || entry.some((scope) => scopes.includes(scope));
}

/** An end user chats, answers and reaches its own sessions (specification 5.7). */
export const letsEndUserIn = (entry: Entry): boolean =>
  entry === "public" ||
  (typeof entry !== "string" &&
    entry.some((scope) => ["chat", "sessions:read", "sessions:write"].includes(scope)));
