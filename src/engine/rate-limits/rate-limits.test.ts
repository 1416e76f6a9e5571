import { describe, expect, test } from "vitest";
import { adminSession, anonymous, endUser } from "../kernel/principal.ts";
import { createLimiter } from "./limiter.ts";
import { type RateLimitRule, tokenRule } from "./rate-limit.ts";
import { createRateLimits } from "./rate-limits.ts";

const none = () => undefined;
const token = (subject: string) => ({ kind: "api_token" as const, subject, scopes_mask: 1 });

const BY_CUSTOMER: RateLimitRule = {
  name: "customer",
  key_header: "X-Customer",
  tier_header: "X-Plan",
  tiers: { default: { limit: 1, window_s: 10 }, gold: { limit: 3, window_s: 20 } },
};

describe("a window", () => {
  const limiter = () => createLimiter(tokenRule({ limit: 2, window_s: 60 }));

  test("begins with its first request and ends after its length", () => {
    const { look, count } = limiter();
    expect(look("a", undefined, 0)).toEqual({
      is_allowed: true,
      limit: 2,
      remaining: 1,
      resets_at_ms: 60_000,
      retry_after_s: 60,
    });
    count("a", undefined, 0);
    count("a", undefined, 30_000);
    expect(look("a", undefined, 59_999)).toMatchObject({ is_allowed: false, remaining: 0 });
    expect(look("a", undefined, 60_000)).toMatchObject({ is_allowed: true, remaining: 1 });
  });

  test("is each key's own", () => {
    const { look, count } = limiter();
    count("a", undefined, 0);
    count("a", undefined, 0);
    expect(look("b", undefined, 0).is_allowed).toBe(true);
  });

  test("is told with the tier of its last request", () => {
    const { count, usage } = createLimiter(BY_CUSTOMER);
    count("a", undefined, 0);
    count("a", "gold", 1);
    expect(usage("a", 2)).toEqual({ tier: "gold", used: 2, resets_at_ms: 10_000 });
  });
});

describe("memory", () => {
  test("is bounded: windows that are over go first, then the oldest", () => {
    const limiter = createLimiter(tokenRule({ limit: 5, window_s: 1 }), 10);
    for (let key = 0; key < 10; key += 1) limiter.count(`old-${key}`, undefined, 0);
    limiter.count("new", undefined, 1_000);
    expect(limiter.size()).toBe(1);
    for (let key = 0; key < 1_000; key += 1)
      limiter.count(`busy-${key}`, undefined, 1_001 + key / 10_000);
    expect(limiter.size()).toBeLessThanOrEqual(10);
    expect(limiter.usage("busy-999", 1_002).used).toBe(1);
    expect(limiter.usage("busy-0", 1_002).used).toBe(0);
  });
});

describe("the rules together", () => {
  test("count a request once each, and a refused one nowhere", () => {
    const limits = createRateLimits([tokenRule({ limit: 5, window_s: 60 }), BY_CUSTOMER]);
    const header = (name: string) => (name === "X-Customer" ? "acme" : undefined);
    expect(limits.admit(token("app"), header, 0)).toMatchObject({ is_allowed: true, limit: 1 });
    expect(limits.admit(token("app"), header, 0)).toMatchObject({
      is_allowed: false,
      limit: 1,
      resets_at_ms: 10_000,
    });
    expect(limits.usage("authorization", "app", 0)).toMatchObject({ used: 1, limit: 5 });
    expect(limits.usage("x-customer", "acme", 0)).toMatchObject({ rule: "customer", used: 1 });
  });

  test("tell the longer wait when several refuse", () => {
    const limits = createRateLimits([tokenRule({ limit: 1, window_s: 60 }), BY_CUSTOMER]);
    const header = (name: string) => (name === "X-Customer" ? "acme" : undefined);
    limits.admit(token("app"), header, 0);
    expect(limits.admit(token("app"), header, 0)?.resets_at_ms).toBe(60_000);
  });

  test.each([
    ["a tier of its own", "gold", 3],
    ["the default tier for one that is unknown", "iron", 1],
    ["the default tier for a name of every object", "constructor", 1],
    ["the default tier without one", undefined, 1],
  ])("give a key %s", (_what, tier, limit) => {
    const limits = createRateLimits([BY_CUSTOMER]);
    const header = (name: string) => (name === "X-Customer" ? "acme" : tier);
    expect(limits.admit(anonymous, header, 0)?.limit).toBe(limit);
  });

  test("tell keys apart that are longer than what is kept of them", () => {
    const limits = createRateLimits([BY_CUSTOMER]);
    const long = "a".repeat(8_000);
    for (const key of [`${long}1`, `${long}2`])
      expect(
        limits.admit(anonymous, (name) => (name === "X-Customer" ? key : undefined), 0),
      ).toEqual(expect.objectContaining({ is_allowed: true }));
    expect(limits.usage("X-Customer", `${long}1`, 0)).toMatchObject({ used: 1 });
    expect(limits.usage("X-Customer", `${long}3`, 0)).toMatchObject({ used: 0 });
  });

  test("leave alone what has no key", () => {
    const limits = createRateLimits([tokenRule({ limit: 1, window_s: 60 }), BY_CUSTOMER]);
    expect(limits.admit(anonymous, none, 0)).toBeUndefined();
    expect(createRateLimits([]).admit(token("app"), none, 0)).toBeUndefined();
  });

  test("do not take a person for the token of the same name", () => {
    const limits = createRateLimits([tokenRule({ limit: 5, window_s: 60 })]);
    for (const principal of [token("ann"), endUser("ann"), adminSession("ann")])
      limits.admit(principal, none, 0);
    expect(limits.usage("Authorization", "ann", 0)?.used).toBe(1);
    expect(limits.usage("Authorization", "jwt:ann", 0)?.used).toBe(2);
  });
});
