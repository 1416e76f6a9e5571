import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { Timestamp } from "../kernel/fields.ts";
import { defineOperation } from "../operation.ts";
import { BreakerStatus } from "./breaker.ts";

const CircuitBreaker = z.object({
  name: z.string(),
  state: BreakerStatus,
  failure_count: z.int(),
  last_failure: Timestamp.optional(),
});

export const listCircuitBreakers = defineOperation({
  name: "resilience.list",
  summary: "List circuit breakers",
  scope: "resilience:read",
  effect: "read",
  input: z.object({}),
  output: z.object({ breakers: z.array(CircuitBreaker) }),
  run: async ({ services }) => ({
    breakers: services.breakers.list().map(({ last_failure_ms, ...breaker }) => ({
      ...breaker,
      last_failure:
        last_failure_ms === undefined ? undefined : new Date(last_failure_ms).toISOString(),
    })),
  }),
});

export const resetCircuitBreaker = defineOperation({
  name: "resilience.reset",
  summary: "Close a circuit breaker",
  scope: "resilience:write",
  effect: "write",
  input: z.object({ name: z.string().min(1) }),
  output: z.object({ status: z.literal("reset"), name: z.string() }),
  // The transaction is empty: breakers live in memory, and the audit log tells of what is written.
  run: ({ services, write }, { name }) =>
    write(async () => {
      if (!services.breakers.reset(name)) throw notFound("circuit breaker", name);
      return { status: "reset" as const, name };
    }),
});
