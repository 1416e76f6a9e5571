import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";

const OWN_MODEL_HEADERS = [
  "X-Model-Provider",
  "X-Model-API-Key",
  "X-Model-Name",
  "X-BYOK-Provider",
  "X-BYOK-API-Key",
  "X-BYOK-Model",
  "X-BYOK-Base-URL",
];
/** Idempotency keys and places in a stream are this product's own; browsers may send them as well. */
const REQUEST_HEADERS = [
  "Accept",
  "Authorization",
  "Content-Type",
  "Idempotency-Key",
  ...OWN_MODEL_HEADERS,
];
const LIMIT_HEADERS = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
];
const CHAT_HEADERS = ["X-Session-Id", "X-Turn-Id", "X-Resume-Id"];

const DAY_S = 86_400;
const FIVE_MINUTES_S = 300;

/** Which origins' pages may read what (contract 0.6): anybody's the open routes, the listed ones the rest. */
export function corsRules(api_base: string, origins: readonly string[]): MiddlewareHandler {
  const rules = [
    { paths: /^\/widget(\/.*|\.js)$/, apply: staticFiles },
    { paths: new RegExp(`^${api_base}/(schemas/[^/]+/chat|widget-config)$`), apply: chat },
    {
      paths: new RegExp(`^(/\\.well-known/oauth-.*|(${api_base})?/oauth/(token|register))$`),
      apply: authorization,
    },
  ];
  const rest = listedOnly(new Set(origins));
  return (http, next) => {
    const { method, path } = http.req;
    // An OPTIONS request that no browser sent for a page is an unsupported method like any other.
    if (method === "OPTIONS" && !isPreflight(http.req.raw)) return next();
    const rule = rules.find(({ paths }) => paths.test(path));
    return (rule?.apply ?? rest)(http, next);
  };
}

const isPreflight = ({ headers }: Request): boolean =>
  headers.has("Origin") && headers.has("Access-Control-Request-Method");

const staticFiles = cors({
  origin: "*",
  allowMethods: ["GET", "HEAD", "OPTIONS"],
  maxAge: DAY_S,
});

const chat = cors({
  origin: "*",
  allowMethods: ["GET", "POST", "OPTIONS"],
  allowHeaders: REQUEST_HEADERS,
  exposeHeaders: [...CHAT_HEADERS, "X-Request-Id", ...LIMIT_HEADERS],
  maxAge: DAY_S,
});

const authorization = cors({
  origin: "*",
  allowMethods: ["GET", "POST", "OPTIONS"],
  allowHeaders: ["Content-Type", "Accept", "MCP-Protocol-Version"],
});

/** Pages of other origins get no header at all, so that their browser keeps the answer from them. */
function listedOnly(origins: ReadonlySet<string>): MiddlewareHandler {
  const allow = cors({
    origin: (origin) => origin,
    credentials: true,
    allowMethods: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
    allowHeaders: [...REQUEST_HEADERS, "Last-Event-ID", "MCP-Protocol-Version"],
    exposeHeaders: ["Link", ...LIMIT_HEADERS, "X-Request-Id", "WWW-Authenticate"],
    maxAge: FIVE_MINUTES_S,
  });
  return async (http, next) => {
    const origin = http.req.header("Origin");
    if (origin !== undefined && origins.has(origin)) return allow(http, next);
    if (http.req.method === "OPTIONS") return http.body(null, 204, { Vary: "Origin" });
    await next();
    if (origins.size > 0) http.res.headers.append("Vary", "Origin");
    return undefined;
  };
}
