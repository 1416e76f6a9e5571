import type { MiddlewareHandler } from "hono";
import { newUuid } from "#engine/kernel/ids.ts";
import type { Logger } from "#engine/services.ts";
import type { RequestState } from "./route.ts";

/** What a caller may call its request; anything else could forge lines of a log. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own id of a request when it is well-formed, else a new one. */
export const requestId: MiddlewareHandler<RequestState> = (http, next) => {
  const given = http.req.header("X-Request-Id");
  http.set("request_id", given !== undefined && REQUEST_ID.test(given) ? given : newUuid());
  return next();
};

/** One line a request, with neither query, headers nor body: those may hold secrets. */
export const requestLog =
  (log: Logger): MiddlewareHandler<RequestState> =>
  async (http, next) => {
    const started = performance.now();
    await next();
    const request_id = http.get("request_id");
    http.res.headers.set("X-Request-Id", request_id);
    const { method, path } = http.req;
    const duration_ms = Math.round(performance.now() - started);
    log.info({ method, path, status: http.res.status, duration_ms, request_id }, "request");
  };
