/** What a caller may do (specification section 5). The numbers are the bits that existing clients post. */
const SCOPE_BITS = {
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
  "sessions:read": 16384,
  "sessions:write": 32768,
  "settings:read": 65536,
  "settings:write": 131072,
  "audit:read": 262144,
  "resilience:read": 524288,
  "resilience:write": 1048576,
  "tools:read": 2097152,
  manage: 4194304,
} as const;

export type Scope = keyof typeof SCOPE_BITS;

const PROVISION: readonly Scope[] = [
  "agents:read",
  "agents:write",
  "schemas:read",
  "schemas:write",
  "models:read",
  "models:write",
  "mcp:read",
  "mcp:write",
  "sessions:read",
];

const COMPOSITES: Readonly<Record<string, readonly Scope[]>> = {
  api: [
    "chat",
    "tasks",
    "agents:read",
    "models:read",
    "mcp:read",
    "triggers:read",
    "schemas:read",
    "sessions:read",
    "settings:read",
    "audit:read",
    "resilience:read",
    "tools:read",
  ],
  provision: PROVISION,
  manage: [...PROVISION, "manage"],
  agents: ["agents:read"],
  models: ["models:read"],
  mcp: ["mcp:read"],
  schemas: ["schemas:read"],
  sessions: ["sessions:read"],
  settings: ["settings:read"],
  audit: ["audit:read"],
  resilience: ["resilience:read"],
  tools: ["tools:read"],
};

/** What each allows, for people who give them; the other names are short for a `:read`. */
export const SCOPE_SUMMARIES: Readonly<Record<Scope | "api" | "provision", string>> = {
  chat: "send messages, answer forms and approvals, stop turns, follow sessions",
  tasks: "create, read and change tasks",
  "agents:read": "read agents, their documents and knowledge graphs; search those",
  "agents:write": "create, change and delete agents, documents and knowledge graphs",
  config: "read and change the whole configuration as a document, and tools that are HTTP requests",
  admin: "every scope; tokens themselves are made in an admin session of the server's machine",
  "models:read": "read models, without their keys, and the registry of known ones",
  "models:write": "create, change, verify and delete models",
  "mcp:read": "read MCP servers and their tools",
  "mcp:write": "add, change, refresh and remove MCP servers",
  "triggers:read": "kept for clients that ask for it; nothing here needs it",
  "triggers:write": "kept for clients that ask for it; nothing here needs it",
  "schemas:read": "read schemas",
  "schemas:write": "create, change and delete schemas",
  "sessions:read": "read sessions and what was said in them",
  "sessions:write": "create, rename and delete sessions",
  "settings:read": "read settings",
  "settings:write": "change settings",
  "audit:read": "read who changed what, and what tools did",
  "resilience:read": "read the state of circuit breakers",
  "resilience:write": "reset circuit breakers",
  "tools:read": "read which tools there are",
  manage: "with the scopes of provision: also delete, over MCP",
  api: "chat and tasks, and every :read",
  provision:
    "set things up, for coding agents: agents, schemas, models, MCP servers; reading sessions",
};

const isScope = (name: string): name is Scope => Object.hasOwn(SCOPE_BITS, name);

/** Every name a token can be created with: scopes, composites and read aliases. */
export const scopeNames = (): string[] => [
  ...new Set([...Object.keys(SCOPE_BITS), ...Object.keys(COMPOSITES)]),
];

/** The mask of one name, or undefined when there is no such scope. */
export function maskOfName(name: string): number | undefined {
  if (Object.hasOwn(COMPOSITES, name)) return maskOf(COMPOSITES[name] ?? []);
  return isScope(name) ? SCOPE_BITS[name] : undefined;
}

export const maskOf = (scopes: readonly Scope[]): number =>
  scopes.reduce((mask, scope) => mask | SCOPE_BITS[scope], 0);

/** The plain scopes of a mask, in bit order; unknown bits are ignored. */
export const scopesOf = (mask: number): Scope[] =>
  (Object.keys(SCOPE_BITS) as Scope[]).filter((scope) => (mask & SCOPE_BITS[scope]) !== 0);

/** Made for coding agents that set things up, and not for one who may also destroy them. */
export const isProvisioner = (mask: number): boolean => {
  const provision = maskOf(PROVISION);
  return (mask & provision) === provision && !grants(mask, "manage");
};

/** `admin` satisfies every scope. */
export const grants = (mask: number, scope: Scope): boolean =>
  (mask & (SCOPE_BITS[scope] | SCOPE_BITS.admin)) !== 0;

/** Whether every bit of a composite is there (contract 5, for `/mcp/rpc`); `admin` has them all. */
export function grantsAll(mask: number, name: "provision" | "manage"): boolean {
  const wanted = maskOfName(name) ?? 0;
  return (mask & SCOPE_BITS.admin) !== 0 || (mask & wanted) === wanted;
}
