import { getRateLimitUsage } from "#engine/rate-limits/operations.ts";
import { listCircuitBreakers, resetCircuitBreaker } from "#engine/resilience/operations.ts";
import { get, post, type Route } from "../http/route.ts";

export const resilienceRoutes: readonly Route[] = [
  get("/resilience/circuit-breakers", listCircuitBreakers),
  post("/resilience/circuit-breakers/:name/reset", resetCircuitBreaker),
  get("/rate-limits/usage", getRateLimitUsage, { also_refuses: [404] }),
];
