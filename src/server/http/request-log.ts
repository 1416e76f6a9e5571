import type { MiddlewareHandler } from "hono";
import type { Logger } from "#engine/services.ts";

/** One line a request, with neither query, headers nor body: those may hold secrets. */
export const requestLog =
  (log: Logger): MiddlewareHandler<{ Variables: { request_id: string } }> =>
  async (http, next) => {
    const started = performance.now();
    await next();
    const request_id = http.get("request_id");
    http.res.headers.set("X-Request-Id", request_id);
    const { method, path } = http.req;
    const duration_ms = Math.round(performance.now() - started);
    log.info({ method, path, status: http.res.status, duration_ms, request_id }, "request");
  };
