type Json = Record<string, unknown>;

const UUID = "3f2a9c1e-7b4d-4e0a-9c55-1d2e3f4a5b6c";
const NOW = "2026-03-01T12:00:00Z";

const DEPOT = {
  type: "object",
  "x-id-field": "code",
  properties: { code: { type: "string" }, country: { type: "string", "x-index": true } },
};

/** What fields of knowledge graphs are called. */
function inGraphs(fields: Json): Json {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [`knowledge_graphs.${name}`, value]),
  );
}

/**
 * What fields are called in examples, by their name or by feature and name. The rest of an example
 * follows from its schema, so that a new field needs a line only when its type says too little.
 */
const FIELDS: Json = {
  id: UUID,
  "models.id": "llama3.2",
  schema_id: UUID,
  session_id: UUID,
  agent_id: UUID,
  name: "support",
  "agents.name": "helper",
  "models.name": "main",
  "tokens.name": "my-app",
  "auth.name": "my-app",
  "usage.name": "turns",
  "resilience.name": "search",
  "tools.name": "current_time",
  "schemas.item": "helper",
  "mcp_servers.name": "shop",
  "mcp_servers.type": "http",
  "mcp_servers.description": "Orders and parcels",
  url: "https://shop.example/mcp",
  forward_headers: ["X-Customer-Id"],
  display_name: "Llama 3.2",
  website: "https://example.com",
  "models.description": "Small and fast, for sub-agents",
  "tools.description": "Tells the time",
  title: "Order 1042",
  description: "Answers questions about orders",
  "tasks.title": "Refund order 1042",
  "tasks.description": "The parcel was lost",
  reason: "The order was paid in cash",
  result: "Refunded",
  summary: "Found the order",
  message: "Where is my order?",
  content: "Your order is on its way.",
  "memory.content": "Prefers to be written to in French",
  system: "You answer questions about orders.",
  model: "main",
  model_name: "llama3.2",
  type: "ollama",
  "capabilities.type": "memory",
  base_url: "http://127.0.0.1:11434",
  api_key: "the provider's key",
  tools: ["current_time"],
  confirm_before: [],
  can_spawn: [],
  agents: ["helper"],
  lifecycle: "persistent",
  mode: "persistent",
  tool_execution: "sequential",
  system_prompt: "You answer questions about orders.",
  model_id: 1,
  max_turn_duration: 120,
  context_tokens: 1_200,
  max_context: 16_000,
  context_window: 128_000,
  max_output: 4_096,
  response_time_ms: 420,
  duration_ms: 3,
  agent_name: "helper",
  entry_agent_id: "helper",
  entry_agent_name: "helper",
  source: "helper",
  target: "clerk",
  source_agent_name: "helper",
  target_agent_name: "clerk",
  chat_enabled: true,
  enabled: true,
  is_default: true,
  scopes: ["chat"],
  scopes_mask: 1,
  token: "bb_ and 64 hexadecimal digits",
  access_token: "a JWT",
  client_id: "what registering gave",
  "oauth.name": "Editor",
  client_name: "Editor",
  redirect_uri: "http://127.0.0.1:3000/callback",
  redirect_uris: ["http://127.0.0.1:3000/callback"],
  redirect_url: "http://127.0.0.1:3000/callback?code=…&state=…&iss=…",
  redirect_place: "127.0.0.1:3000",
  "oauth.resource": "http://127.0.0.1:8443/api/v1/mcp/rpc",
  "oauth.scope": "provision",
  "oauth.scopes": ["provision"],
  approved_scopes: ["provision"],
  response_type: "code",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWpuW5XQZ0VZY",
  code_challenge_method: "S256",
  code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
  consent_nonce: "what authorize-info gave",
  grant_type: "authorization_code",
  code: "what the consent sent",
  refresh_token: "what the last exchange gave",
  consented_by: "local-admin",
  key: "byok.enabled",
  "rate_limits.key": "my-app",
  value: "true",
  call_id: "call_1",
  answers: ["approve"],
  tool: "current_time",
  tool_name: "current_time",
  input: "{}",
  output: "2026-03-01T12:00:00Z",
  event_type: "user_message",
  payload: { content: "Where is my order?" },
  user_sub: "visitor-1",
  user_id: "visitor-1",
  provider: "ollama",
  version: "1.0.0",
  uptime: "1h2m3s",
  database: "ok",
  plan: "self-hosted",
  label: "Turns",
  unit: "turns",
  used: 12,
  limit: 60,
  limit_value: 1000,
  scope: "tenant",
  error: null,
  failure_count: 0,
  interval_seconds: 86_400,
  rule: "token",
  tier: "default",
  window: "60s",
  key_header: "Authorization",
  key_value: "my-app",
  actor_type: "admin",
  actor_id: "local-admin",
  action: "agent.create",
  resource: "POST /api/v1/agents",
  details: "{}",
  ...inGraphs({
    bundle: "logistics",
    bundle_name: "logistics",
    entity_type: "depot",
    entity_id: "D1",
    id: "D1",
    ids: ["D1"],
    not_found: [],
    data: { code: "D1", country: "FI" },
    schema: DEPOT,
    schema_json: DEPOT,
    schema_hash: "64 hexadecimal digits",
    id_field: "code",
    expose_tools: ["list", "get"],
    added: ["depot"],
    changed: [],
    removed: [],
    unchanged: [],
    warnings: [],
    limit: 50,
    offset: 0,
  }),
  page: 1,
  per_page: 20,
  total: 1,
  total_pages: 1,
  max_steps: 50,
  max_context_size: 16_000,
};

/** Of what a request may leave out, what is worth showing. */
const SHOWN_IN_REQUESTS = new Set([
  "answers",
  "api_key",
  "chat_enabled",
  "description",
  "entities",
  "entry_agent_id",
  "is_default",
  "message",
  "model",
  "result",
  "scopes",
  "system",
  "title",
  "tools",
  "url",
]);

interface Wanted {
  /** The first part of the operation's name. */
  readonly feature: string;
  readonly is_request: boolean;
}

/** A small value of a schema, the same each time. */
export function exampleOf(schema: Json, wanted: Wanted, name = ""): unknown {
  const named = FIELDS[`${wanted.feature}.${name}`] ?? FIELDS[name];
  if (named !== undefined && fits(schema, named)) return named;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [variant] = variantsOf(schema).filter((one) => one.type !== "null" && one.const !== "");
  if (variant) return exampleOf(variant, wanted, name);
  switch (typeOf(schema)) {
    case "object":
      return objectOf(schema, wanted);
    case "array":
      return arrayOf(schema, wanted, name);
    case "string":
      return textOf(schema);
    case "integer":
    case "number":
      return Math.max(1, Number(schema.minimum ?? 1));
    case "boolean":
      return true;
    default:
      return {};
  }
}

const variantsOf = ({ anyOf, oneOf }: Json): Json[] => (anyOf ?? oneOf ?? []) as Json[];

const typeOf = ({ type }: Json): unknown => (Array.isArray(type) ? type[0] : type);

function objectOf(schema: Json, wanted: Wanted): Json {
  const required = (schema.required ?? []) as string[];
  const optional = ([name, field]: [string, Json]): boolean =>
    wanted.is_request
      ? SHOWN_IN_REQUESTS.has(name)
      : fits(field, FIELDS[`${wanted.feature}.${name}`] ?? FIELDS[name]);
  const shown = Object.entries((schema.properties ?? {}) as Record<string, Json>).filter(
    (entry) => required.includes(entry[0]) || optional(entry),
  );
  return Object.fromEntries(shown.map(([name, field]) => [name, exampleOf(field, wanted, name)]));
}

function arrayOf({ items, maxItems }: Json, wanted: Wanted, name: string): unknown[] {
  if (maxItems === 0 || typeof items !== "object" || items === null) return [];
  return [exampleOf(items as Json, wanted, name || "item")];
}

function textOf({ format }: Json): string {
  if (format === "uuid") return UUID;
  if (format === "date-time") return NOW;
  if (format === "uri") return "https://example.com";
  return "text";
}

/** Whether a value is one of the schema, as far as examples need to know. */
function fits(schema: Json, value: unknown): boolean {
  if (value === undefined) return false;
  if (value === null) return [schema.type].flat().includes("null");
  const variants = variantsOf(schema);
  if (variants.length > 0) return variants.some((variant) => fits(variant, value));
  if (schema.const !== undefined) return schema.const === value;
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  switch (typeOf(schema)) {
    case "string":
      return typeof value === "string" && fitsText(schema, value);
    case "integer":
    case "number":
      return typeof value === "number";
    case "array":
      return Array.isArray(value) && fitsList(schema, value);
    case "boolean":
    case "object":
      return typeof value === typeOf(schema) && !Array.isArray(value);
    default:
      return true;
  }
}

const fitsList = ({ items, maxItems }: Json, values: unknown[]): boolean =>
  values.length <= Number(maxItems ?? Number.POSITIVE_INFINITY) &&
  values.every((value) => fits((items ?? {}) as Json, value));

const fitsText = ({ pattern, format, allOf }: Json, text: string): boolean =>
  (typeof pattern !== "string" || new RegExp(pattern).test(text)) &&
  (format !== "uuid" || text === UUID) &&
  (format !== "date-time" || !Number.isNaN(Date.parse(text))) &&
  ((allOf ?? []) as Json[]).every((part) => fitsText(part, text));
