import { type Allowance, DEFAULT_TIER, type RateLimitRule } from "./rate-limit.ts";

/** More keys than that are not remembered per rule: those whose window began first are forgotten. */
const KEYS_MAX = 10_000;

interface Window {
  /** Of its last request. */
  tier: string;
  readonly resets_at_ms: number;
  used: number;
}

/** What one rule knows of a key. */
export interface KeyUsage {
  readonly tier: string;
  readonly used: number;
  readonly resets_at_ms: number;
}

/** Counts the requests of one rule, in memory. */
export interface Limiter {
  readonly rule: RateLimitRule;
  /** What the request would get; counts nothing. */
  look(key: string, tier: string | undefined, now_ms: number): Allowance;
  /** A request that all rules allow. */
  count(key: string, tier: string | undefined, now_ms: number): void;
  usage(key: string, now_ms: number): KeyUsage;
  /** How many keys are remembered. */
  size(): number;
}

export function createLimiter(rule: RateLimitRule, keys_max = KEYS_MAX): Limiter {
  const windows = new Map<string, Window>();
  const quotaOf = (tier: string) => rule.tiers[tier] ?? rule.tiers.default;

  const find = (key: string, now_ms: number): Window | undefined => {
    const window = windows.get(key);
    return window && window.resets_at_ms > now_ms ? window : undefined;
  };
  const open = (key: string, tier: string, now_ms: number): Window => {
    // Deleted first, so that the map stays in the order in which windows began.
    windows.delete(key);
    if (windows.size >= keys_max) forget(windows, keys_max, now_ms);
    const window = { tier, used: 0, resets_at_ms: now_ms + quotaOf(tier).window_s * 1000 };
    windows.set(key, window);
    return window;
  };

  return {
    rule,
    look(key, given, now_ms) {
      const tier = known(rule, given);
      const { limit, window_s } = quotaOf(tier);
      const { used, resets_at_ms } = find(key, now_ms) ?? {
        used: 0,
        resets_at_ms: now_ms + window_s * 1000,
      };
      const remaining = Math.max(0, limit - used - 1);
      const retry_after_s = Math.max(1, Math.ceil((resets_at_ms - now_ms) / 1000));
      return { is_allowed: used < limit, limit, remaining, resets_at_ms, retry_after_s };
    },
    count(key, given, now_ms) {
      const tier = known(rule, given);
      const window = find(key, now_ms) ?? open(key, tier, now_ms);
      window.tier = tier;
      window.used += 1;
    },
    usage(key, now_ms) {
      const { tier, used, resets_at_ms } = find(key, now_ms) ?? {
        tier: DEFAULT_TIER,
        used: 0,
        resets_at_ms: now_ms + rule.tiers.default.window_s * 1000,
      };
      return { tier, used, resets_at_ms };
    },
    size: () => windows.size,
  };
}

const known = ({ tiers }: RateLimitRule, tier: string | undefined): string =>
  tier !== undefined && Object.hasOwn(tiers, tier) ? tier : DEFAULT_TIER;

/** Windows that are over go; when all still run, the oldest tenth does, so that this is rare. */
function forget(windows: Map<string, Window>, keys_max: number, now_ms: number): void {
  for (const [key, { resets_at_ms }] of windows) if (resets_at_ms <= now_ms) windows.delete(key);
  let surplus = windows.size - Math.floor(keys_max * 0.9);
  for (const key of windows.keys()) {
    if (surplus <= 0) return;
    windows.delete(key);
    surplus -= 1;
  }
}
