import { sha256 } from "../kernel/ids.ts";
import type { Principal } from "../kernel/principal.ts";
import { createLimiter, type Limiter } from "./limiter.ts";
import {
  type Allowance,
  type RateLimitRule,
  type RateLimitUsage,
  TOKEN_HEADER,
} from "./rate-limit.ts";

const KEY_CHARACTERS_MAX = 256;

/** Reads a header of the request at hand. */
export type ReadHeader = (name: string) => string | undefined;

/** Every rule of this process, with what was counted; a restart forgets it. */
export interface RateLimits {
  /** Counts a request by every rule that has a key for it, or none. Undefined when no rule has. */
  admit(principal: Principal, header: ReadHeader, now_ms: number): Allowance | undefined;
  /** Undefined when no rule goes by this header. */
  usage(key_header: string, key: string, now_ms: number): RateLimitUsage | undefined;
}

export function createRateLimits(rules: readonly RateLimitRule[]): RateLimits {
  const limiters = rules.map((rule) => createLimiter(rule));
  return {
    admit(principal, header, now_ms) {
      const asked = limiters.flatMap((limiter) => {
        const given = keyOf(limiter, principal, header);
        if (!given) return [];
        const key = bounded(given);
        const { tier_header } = limiter.rule;
        const tier = tier_header === undefined ? undefined : header(tier_header);
        return [{ limiter, key, tier, allowance: limiter.look(key, tier, now_ms) }];
      });
      if (asked.every(({ allowance }) => allowance.is_allowed)) {
        for (const { limiter, key, tier } of asked) limiter.count(key, tier, now_ms);
      }
      return asked.map(({ allowance }) => allowance).reduce(tighter, undefined);
    },
    usage(key_header, key, now_ms) {
      const limiter = limiters.find(({ rule }) => isSameHeader(rule.key_header, key_header));
      if (!limiter) return undefined;
      const { rule } = limiter;
      const { tier, used, resets_at_ms } = limiter.usage(bounded(key), now_ms);
      const { limit, window_s } = rule.tiers[tier] ?? rule.tiers.default;
      const resets_at = new Date(resets_at_ms).toISOString();
      return { rule: rule.name, key, tier, used, limit, window: `${window_s}s`, resets_at };
    },
  };
}

/** What strangers send must not fill the memory. */
const bounded = (key: string): string => (key.length > KEY_CHARACTERS_MAX ? sha256(key) : key);

const isSameHeader = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase();

/** A credential is never a key: what it proves is. */
const keyOf = ({ rule }: Limiter, principal: Principal, header: ReadHeader): string | undefined =>
  isSameHeader(rule.key_header, TOKEN_HEADER) ? holderOf(principal) : header(rule.key_header);

/** A token's name has no colon, so no subject can pass for one. */
function holderOf({ kind, subject }: Principal): string | undefined {
  if (kind === "anonymous") return undefined;
  return kind === "api_token" ? subject : `jwt:${subject}`;
}

/** Of several the one that refuses for longest, else the one with the least left. */
function tighter(one: Allowance | undefined, other: Allowance): Allowance {
  if (one === undefined) return other;
  if (one.is_allowed !== other.is_allowed) return one.is_allowed ? other : one;
  if (!one.is_allowed) return one.resets_at_ms >= other.resets_at_ms ? one : other;
  return one.remaining <= other.remaining ? one : other;
}
