import { z } from "zod";

/** So many requests per window, which begins with the first of them. */
export interface Quota {
  readonly limit: number;
  readonly window_s: number;
}

/** What a request is counted by, and how much its key may (contract 13.22). */
export interface RateLimitRule {
  readonly name: string;
  /** The header whose value is the key; `Authorization` means who the token belongs to. */
  readonly key_header: string;
  /** The header whose value is the tier. */
  readonly tier_header?: string | undefined;
  /** `default` is for requests of no tier, or of an unknown one. */
  readonly tiers: Readonly<Record<string, Quota>> & { readonly default: Quota };
}

export const DEFAULT_TIER = "default";
export const TOKEN_HEADER = "Authorization";

/** The rule that every installation has unless it is switched off (decision 23). */
export const tokenRule = (quota: Quota): RateLimitRule => ({
  name: "token",
  key_header: TOKEN_HEADER,
  tiers: { default: quota },
});

/** What came of counting a request, as the headers of its answer tell it. */
export interface Allowance {
  readonly is_allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  readonly resets_at_ms: number;
  /** Seconds until then. */
  readonly retry_after_s: number;
}

export const RateLimitUsage = z.object({
  rule: z.string(),
  key: z.string(),
  tier: z.string(),
  used: z.int(),
  limit: z.int(),
  /** A duration like `60s`. */
  window: z.string(),
  resets_at: z.string().meta({ format: "date-time" }),
});
export type RateLimitUsage = z.infer<typeof RateLimitUsage>;
