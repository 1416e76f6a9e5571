import { Hono } from "hono";
import type { LocalSessionPolicy } from "#engine/auth/local-session.ts";
import type { Engine } from "#engine/engine.ts";
import { EngineError } from "#engine/kernel/error.ts";
import type { Logger } from "#engine/services.ts";
import { mountConsentPage, type ReadAsset } from "./consent-page.ts";
import { mountOAuthDiscovery, mountSetup } from "./discovery.ts";
import { mountFrontPage } from "./front-page.ts";
import { corsRules } from "./http/cors.ts";
import { errorResponse } from "./http/errors.ts";
import { securityHeaders } from "./http/headers.ts";
import { limitHeaders } from "./http/limits.ts";
import { createMetrics } from "./http/metrics.ts";
import { type App, mount, type Refuse } from "./http/mount.ts";
import { MCP_PATH, type OAuthAddress } from "./http/oauth-place.ts";
import { createOpenStreams } from "./http/open-streams.ts";
import { toOpenApi } from "./http/openapi.ts";
import { requestId, requestLog } from "./http/request-log.ts";
import { mountMcp } from "./mcp/endpoint.ts";
import { routesOf } from "./routes/all.ts";
import { healthRoutes } from "./routes/health.ts";
import { isAtRoot } from "./routes/oauth.ts";

export const API_BASE = "/api/v1";

export interface ServerDependencies {
  readonly engine: Engine;
  readonly log: Logger;
  readonly version: string;
  readonly local_sessions: LocalSessionPolicy;
  /** Whose pages may call the whole interface; empty means this server's own alone. */
  readonly cors_origins?: readonly string[];
  /** The origin that others know this server by; without one only loopback addresses are known. */
  readonly public_url?: string | undefined;
  /** Off unless it is given. */
  readonly oauth?: {
    readonly issuer?: string | undefined;
    readonly consent_url?: string | undefined;
  };
  readonly readAsset: ReadAsset;
}

/** The HTTP side, without a port: a table of contents of what happens to a request, in order. */
export function createServer({
  engine,
  log,
  version,
  local_sessions,
  cors_origins = [],
  public_url,
  oauth,
  readAsset,
}: ServerDependencies): App {
  const app: App = new Hono();
  const is_authorization_server = oauth !== undefined;
  const address: OAuthAddress = { public_url, cors_origins, is_authorization_server, ...oauth };
  const routes = routesOf(local_sessions, address);
  const open_streams = createOpenStreams();
  const metrics = createMetrics(engine, open_streams);
  let document: string | undefined;

  app.use(metrics.observe);
  app.use(requestId);
  app.use(requestLog(log));
  app.use(securityHeaders);
  app.use(corsRules(API_BASE, cors_origins));
  app.use(limitHeaders);
  app.use(async (http, next) => {
    http.set("open_streams", open_streams);
    await next();
  });
  app.get("/metrics", async (http) => {
    http.set("route", "/metrics");
    const { text, content_type } = await metrics.render();
    return http.body(text, 200, { "Content-Type": content_type });
  });
  mountFrontPage(app, { version, api_base: API_BASE });
  app.get(`${API_BASE}/openapi.json`, (http) => {
    http.set("route", `${API_BASE}/openapi.json`);
    document ??= JSON.stringify(toOpenApi(routes, API_BASE, version));
    return http.body(document, 200, { "Content-Type": "application/json" });
  });
  const refuse: Refuse = (http, error) => errorResponse(http, error, log);
  mount(app, API_BASE, routes, { engine, refuse });
  mountMcp(app, MCP_PATH, {
    engine,
    log,
    address,
    refuse,
    async serverFor(caller) {
      const { createProvisioningServer } = await import("./mcp/server.ts");
      return createProvisioningServer(caller, version);
    },
  });
  mount(app, "", routes.filter(isAtRoot), { engine, refuse });
  mountOAuthDiscovery(app, address);
  mountConsentPage(app, readAsset);
  mountSetup(app, address, { version, readAsset });
  // Monitors look for health at the root.
  mount(app, "", healthRoutes, { engine, refuse });
  app.notFound((http) => refuse(http, new EngineError("not_found", nothingAt(http.req.path))));
  app.onError((error, http) => errorResponse(http, error, log));
  return app;
}

/** Whoever opens the address in a browser, or looks for the interface, is told where it is. */
const nothingAt = (path: string): string =>
  `there is nothing at ${path}; ${API_BASE}/openapi.json describes what there is`;
