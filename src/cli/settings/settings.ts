import { z } from "zod";
import { HttpUrl } from "#engine/kernel/fields.ts";
import type { RateLimitRule } from "#engine/rate-limits/rate-limit.ts";

/** In seconds. */
export const Duration = z
  .string()
  .regex(/^(\d+)(s|m|h)?$/, "must be a duration like 90s, 15m or 1h")
  .transform((text) => {
    const unit = { s: 1, m: 60, h: 3600 }[text.at(-1) ?? ""] ?? 1;
    return Number.parseInt(text, 10) * unit;
  });

const Port = z
  .string()
  .regex(/^\d{1,5}$/, "must be a port, 0 to 65535")
  .transform(Number)
  .refine((port) => port <= 65_535, "must be a port, 0 to 65535");

/** Configuration files have booleans. */
const YesNo = z.union([z.boolean(), z.stringbool()]);

const Count = z
  .string()
  .regex(/^\d{1,9}$/, "must be a whole number; 0 is off")
  .transform(Number);

const ORIGIN_HELP = "must be origins like https://app.example.com, without a path";

/** As the `Origin` header has them, so that comparing texts is enough. */
const Origins = z
  .union([
    z.array(z.string()),
    z.string().transform((text) => text.split(",").map((origin) => origin.trim())),
  ])
  .transform((origins) => origins.filter((origin) => origin !== ""))
  .refine((origins) => origins.every(isOrigin), ORIGIN_HELP);

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

const isHttpOrigin = (text: string): boolean => isOrigin(text.replace(/\/$/, ""));

/** Kept as browsers write origins, so that comparing texts is enough. */
const Origin = z
  .string()
  .refine(isHttpOrigin, "must be like https://agents.example.com, without a path")
  .transform((text) => text.replace(/\/$/, ""));

/** What one process setting is called in each place it can come from. */
export interface Setting {
  readonly flag: string;
  /** The first that is set counts. */
  readonly environment: readonly string[];
  /** Path in the configuration file (contract 0.7). */
  readonly file: string;
  readonly field: z.ZodType;
  readonly default: string | undefined;
  readonly help: string;
}

const setting = <Field extends z.ZodType>(row: Setting & { field: Field }) => row;

/** Every setting of `serve`, once: flags, environment, file, validation and help come from here. */
export const SETTINGS = {
  host: setting({
    flag: "--host <host>",
    environment: ["SERVICE_HOST", "ENGINE_HOST"],
    file: "engine.host",
    field: z.string().min(1),
    default: "127.0.0.1",
    help: "address to listen on",
  }),
  port: setting({
    flag: "--port <number>",
    environment: ["SERVICE_PORT", "ENGINE_PORT"],
    file: "engine.port",
    field: Port,
    default: "8443",
    help: "port to listen on; 0 takes a free one",
  }),
  data_dir: setting({
    flag: "--data-dir <dir>",
    environment: ["SERVICE_DATA_DIR"],
    file: "engine.data_dir",
    field: z.string().min(1),
    default: undefined,
    help: "where everything is kept",
  }),
  public_base_url: setting({
    flag: "--public-base-url <url>",
    environment: ["SERVICE_PUBLIC_BASE_URL"],
    file: "engine.public_base_url",
    field: Origin.optional(),
    default: undefined,
    help: "the address that others reach this server at, like https://agents.example.com",
  }),
  cors_origins: setting({
    flag: "--cors-origins <list>",
    environment: ["SERVICE_CORS_ORIGINS"],
    file: "engine.cors_origins",
    field: Origins,
    default: "",
    help: "origins whose pages may call everything, separated by commas",
  }),
  rate_limit: setting({
    flag: "--rate-limit <number>",
    environment: ["SERVICE_RATE_LIMIT"],
    file: "engine.rate_limit",
    field: Count.optional(),
    default: undefined,
    help: "requests per token and window; 0 is no limit, the default is 60 in external mode and 0 in local mode",
  }),
  rate_limit_window: setting({
    flag: "--rate-limit-window <duration>",
    environment: ["SERVICE_RATE_LIMIT_WINDOW"],
    file: "engine.rate_limit_window",
    field: Duration.refine((seconds) => seconds > 0, "must be longer than nothing"),
    default: "1m",
    help: "how long a window of the rate limit is",
  }),
  auth_mode: setting({
    flag: "--auth-mode <mode>",
    environment: ["SERVICE_AUTH_MODE"],
    file: "security.auth_mode",
    field: z.enum(["local", "external"]),
    default: "local",
    help: "local: this machine's programs get an admin session; external: JWTs come from elsewhere",
  }),
  jwt_public_key_path: setting({
    flag: "--jwt-public-key-path <file>",
    environment: ["SERVICE_JWT_PUBLIC_KEY_PATH"],
    file: "security.jwt_public_key_path",
    field: z.string().min(1).optional(),
    default: undefined,
    help: "file with the hex Ed25519 public key of the party that signs JWTs (external mode)",
  }),
  jwt_keys_dir: setting({
    flag: "--jwt-keys-dir <dir>",
    environment: ["SERVICE_JWT_KEYS_DIR"],
    file: "security.jwt_keys_dir",
    field: z.string().min(1).optional(),
    default: undefined,
    help: "where this server's own keys are kept (default: keys in the data directory)",
  }),
  jwt_expected_audience: setting({
    flag: "--jwt-expected-audience <text>",
    environment: ["SERVICE_JWT_EXPECTED_AUDIENCE"],
    file: "security.jwt_expected_audience",
    field: z.string().min(1).optional(),
    default: undefined,
    help: "what a JWT's aud must be",
  }),
  local_session_ttl: setting({
    flag: "--local-session-ttl <duration>",
    environment: ["SERVICE_LOCAL_SESSION_TTL"],
    file: "security.local_session_ttl",
    field: Duration,
    default: "1h",
    help: "how long an admin session of this machine lasts",
  }),
  oauth_as_enabled: setting({
    flag: "--oauth-as-enabled <yes|no>",
    environment: ["SERVICE_OAUTH_AS_ENABLED"],
    file: "oauth.as_enabled",
    field: YesNo,
    default: "true",
    help: "whether coding agents may ask an administrator for access in the browser",
  }),
  oauth_issuer: setting({
    flag: "--oauth-issuer <url>",
    environment: ["SERVICE_OAUTH_ISSUER"],
    file: "oauth.issuer",
    field: Origin.optional(),
    default: undefined,
    help: "what the authorization server calls itself (default: the public base URL)",
  }),
  oauth_consent_url: setting({
    flag: "--oauth-consent-url <url>",
    environment: ["SERVICE_OAUTH_CONSENT_URL"],
    file: "oauth.consent_url",
    field: HttpUrl.optional(),
    default: undefined,
    help: "where people consent (default: /admin/oauth/consent of the issuer)",
  }),
  oauth_as_key_path: setting({
    flag: "--oauth-as-key-path <file>",
    environment: ["SERVICE_OAUTH_AS_KEY_PATH"],
    file: "oauth.as_key_path",
    field: z.string().min(1).optional(),
    default: undefined,
    help: "file with the key that signs what OAuth issues (default: oauth.jwk among the keys)",
  }),
  task_concurrency: setting({
    flag: "--task-concurrency <number>",
    environment: ["SERVICE_TASK_CONCURRENCY"],
    file: "tasks.concurrency",
    field: Count.refine((count) => count <= 256, "must be a number, 0 to 256"),
    default: "4",
    help: "how many background tasks are worked on at a time; 0 for none",
  }),
  mcp_stdio: setting({
    flag: "--mcp-stdio <who>",
    environment: ["SERVICE_MCP_STDIO"],
    file: "mcp.stdio",
    field: z.enum(["off", "admin", "tokens"]),
    default: "admin",
    help: "who may configure MCP servers that are programs on this machine: off (nobody), admin, or tokens (also those with mcp:write)",
  }),
  mcp_call_timeout: setting({
    flag: "--mcp-call-timeout <duration>",
    environment: ["SERVICE_MCP_CALL_TIMEOUT"],
    file: "mcp.call_timeout",
    field: Duration.refine((seconds) => seconds > 0 && seconds <= 600, "must be 1s to 10m"),
    default: "30s",
    help: "how long a call of an MCP tool may go without an answer or a word of progress",
  }),
  mcp_idle_timeout: setting({
    flag: "--mcp-idle-timeout <duration>",
    environment: ["SERVICE_MCP_IDLE_TIMEOUT"],
    file: "mcp.idle_timeout",
    field: Duration.refine((seconds) => seconds > 0, "must be longer than nothing"),
    default: "10m",
    help: "how long an MCP server that is a program is kept running while nobody uses it",
  }),
  log_level: setting({
    flag: "--log-level <level>",
    environment: ["SERVICE_LOG_LEVEL"],
    file: "logging.level",
    field: z.enum(["debug", "info", "warn", "error", "silent"]),
    default: "info",
    help: "debug, info, warn, error or silent",
  }),
  log_format: setting({
    flag: "--log-format <format>",
    environment: ["SERVICE_LOG_FORMAT"],
    file: "logging.format",
    field: z.enum(["auto", "json", "text"]),
    default: "auto",
    help: "json lines, text, or auto: text on a terminal",
  }),
} as const;

export type SettingName = keyof typeof SETTINGS;

/** The settings of one process, validated. */
export type ServiceConfig = {
  readonly [Name in SettingName]: z.output<(typeof SETTINGS)[Name]["field"]>;
} & {
  /** Also those that only a configuration file can hold. */
  readonly rate_limits: readonly RateLimitRule[];
};
