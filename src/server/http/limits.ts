import type { MiddlewareHandler } from "hono";
import type { Engine } from "#engine/engine.ts";
import { EngineError } from "#engine/kernel/error.ts";
import type { Principal } from "#engine/kernel/principal.ts";
import type { HttpContext, RequestState } from "./route.ts";

/** Throws `rate_limited` with the seconds until the window ends (contract 13.17). */
export function admit(http: HttpContext, principal: Principal, engine: Engine): void {
  const allowance = engine.admit(principal, (name) => http.req.header(name));
  http.set("allowance", allowance);
  if (!allowance || allowance.is_allowed) return;
  throw new EngineError(
    "rate_limited",
    `more than ${allowance.limit} requests in this window; try again in ${allowance.retry_after_s} s`,
    { retry_after_s: allowance.retry_after_s },
  );
}

/** What is left of the limit, on every answer that one applies to. */
export const limitHeaders: MiddlewareHandler<RequestState> = async (http, next) => {
  await next();
  const allowance = http.get("allowance");
  if (!allowance) return;
  const { headers } = http.res;
  headers.set("X-RateLimit-Limit", String(allowance.limit));
  headers.set("X-RateLimit-Remaining", String(allowance.remaining));
  headers.set("X-RateLimit-Reset", String(Math.ceil(allowance.resets_at_ms / 1000)));
};
