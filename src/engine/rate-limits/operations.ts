import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { defineOperation } from "../operation.ts";
import { RateLimitUsage } from "./rate-limit.ts";

export const getRateLimitUsage = defineOperation({
  name: "rate_limits.usage",
  summary: "Read what a key used of its rate limit",
  scope: "admin",
  effect: "read",
  input: z.object({ key_header: z.string().min(1), key_value: z.string().min(1) }),
  output: RateLimitUsage,
  run: async ({ services, now }, { key_header, key_value }) => {
    const usage = services.rate_limits.usage(key_header, key_value, now().getTime());
    if (!usage) throw notFound("rate limit for the header", key_header);
    return usage;
  },
});
