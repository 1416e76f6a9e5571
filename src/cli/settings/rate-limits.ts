import { z } from "zod";
import { type RateLimitRule, TOKEN_HEADER, tokenRule } from "#engine/rate-limits/rate-limit.ts";
import { usageError } from "../output.ts";
import { Duration, type ServiceConfig } from "./settings.ts";

/** Of each token, when the operator says nothing and strangers may hold tokens (decision 23). */
const EXTERNAL_MODE_LIMIT = 60;

/** Whose values are secrets, which a rule would keep and show. */
const SECRET_HEADERS = [
  "cookie",
  "proxy-authorization",
  "x-model-api-key",
  "x-byok-api-key",
  "x-bootstrap-secret",
];

const HeaderName = z
  .string()
  .regex(/^[A-Za-z0-9-]+$/, "must be the name of a header")
  .refine((name) => !SECRET_HEADERS.includes(name.toLowerCase()), "must not hold a secret");

const KeyHeader = HeaderName.refine(
  (name) => name.toLowerCase() !== TOKEN_HEADER.toLowerCase(),
  "is limited by rate_limit",
);

const Window = z
  .union([z.int().positive().transform(String), z.string()])
  .pipe(Duration)
  .refine((seconds) => seconds > 0, "must be longer than nothing");

const Quota = z
  .strictObject({ limit: z.int().positive(), window: Window })
  .transform(({ limit, window }) => ({ limit, window_s: window }));

const Rule = z.strictObject({
  name: z.string().min(1),
  key_header: KeyHeader,
  tier_header: HeaderName.optional(),
  tiers: z.object({ default: Quota }).catchall(Quota),
});

const Rules = z
  .array(Rule)
  .default([])
  .refine(
    (rules) =>
      new Set(rules.map(({ key_header }) => key_header.toLowerCase())).size === rules.length,
    "must have one rule per header",
  );

/** The rule of tokens, unless it is off, and those of the file. Throws a usage error. */
export function readRateLimits(
  { auth_mode, rate_limit, rate_limit_window }: Omit<ServiceConfig, "rate_limits">,
  given: unknown,
): RateLimitRule[] {
  const result = Rules.safeParse(given);
  if (!result.success) {
    const [issue] = result.error.issues;
    const place = ["rate_limits", ...(issue?.path ?? [])].join(".");
    throw usageError(`${place} in the configuration file: ${issue?.message}`);
  }
  const limit = rate_limit ?? (auth_mode === "external" ? EXTERNAL_MODE_LIMIT : 0);
  const token = limit > 0 ? [tokenRule({ limit, window_s: rate_limit_window })] : [];
  return [...token, ...result.data];
}
