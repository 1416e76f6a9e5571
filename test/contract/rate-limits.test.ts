import { describe, expect, test } from "vitest";
import { type RateLimitRule, tokenRule } from "#engine/rate-limits/rate-limit.ts";
import { startTestApp } from "../support/app.ts";

const PER_MINUTE = (limit: number) => tokenRule({ limit, window_s: 60 });

const BY_CUSTOMER: RateLimitRule = {
  name: "customer",
  key_header: "X-Customer",
  tier_header: "X-Plan",
  tiers: { default: { limit: 1, window_s: 10 }, gold: { limit: 3, window_s: 20 } },
};

const limitHeaders = (headers: Headers) =>
  ["Limit", "Remaining", "Reset"].map((name) => headers.get(`X-RateLimit-${name}`));

describe("a token", () => {
  test("gets so many requests in a window, and is told when there are more again", async () => {
    const app = await startTestApp({ rate_limits: [PER_MINUTE(2)] });
    const caller = await app.as(["agents:read"]);
    const reset = String(app.clock.now().getTime() / 1000 + 60);
    const first = await caller.get("/agents");
    expect(first.status).toBe(200);
    expect(limitHeaders(first.headers)).toEqual(["2", "1", reset]);
    app.clock.pass(20_000);
    expect(limitHeaders((await caller.get("/agents")).headers)).toEqual(["2", "0", reset]);
    const refused = await caller.get("/agents");
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({
      error: "rate_limited",
      message: expect.stringContaining("2 requests"),
      request_id: refused.headers.get("X-Request-Id"),
    });
    expect(refused.headers.get("Retry-After")).toBe("40");
    expect(limitHeaders(refused.headers)).toEqual(["2", "0", reset]);
    app.clock.pass(40_000);
    expect((await caller.get("/agents")).status).toBe(200);
  });

  test("shares its limit with no other", async () => {
    const app = await startTestApp({ rate_limits: [PER_MINUTE(1)] });
    const [one, other] = [await app.as(["agents:read"]), await app.as(["agents:read"])];
    expect((await one.get("/agents")).status).toBe(200);
    expect((await one.get("/agents")).status).toBe(429);
    expect((await other.get("/agents")).status).toBe(200);
    expect((await (await app.asUser("ann")).get("/sessions")).status).toBe(200);
    expect((await (await app.asUser("ann")).get("/sessions")).status).toBe(429);
    expect((await (await app.asUser("bob")).get("/sessions")).status).toBe(200);
  });

  test("uses it up with requests that are refused for what they are, too", async () => {
    const app = await startTestApp({ rate_limits: [PER_MINUTE(2)] });
    const caller = await app.as(["chat"]);
    expect((await caller.get("/agents")).status).toBe(403);
    expect((await caller.post("/schemas/Bad_Name/chat", "{")).status).toBe(400);
    expect((await caller.post("/schemas/x/chat", { message: "hi" })).status).toBe(429);
  });

  test("is not helped by addresses or proxies it names", async () => {
    const app = await startTestApp({ rate_limits: [PER_MINUTE(1)] });
    const caller = await app.as(["chat"]);
    const statuses = [];
    for (const address of ["10.0.0.1", "10.0.0.2"]) {
      const headers = { "X-Forwarded-For": address, Forwarded: `for=${address}` };
      statuses.push((await caller.open("/schemas/x/chat", { message: "hi" }, headers)).status);
    }
    expect(statuses).toEqual([404, 429]);
  });

  test("meets no limit at health, registry, discovery and metrics", async () => {
    const app = await startTestApp({ rate_limits: [PER_MINUTE(1)] });
    const caller = await app.as(["models:read"]);
    expect((await caller.get("/models")).status).toBe(200);
    for (const path of [
      "/health",
      "/api/v1/health",
      "/metrics",
      "/models/registry",
      "/models/registry/providers",
      "/openapi.json",
    ]) {
      const answer = await caller.get(path);
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.headers.has("X-RateLimit-Limit")).toBe(false);
    }
    expect((await caller.get("/models")).status).toBe(429);
  });

  test("meets none, and no header of one, where none is set", async () => {
    const app = await startTestApp();
    const caller = await app.as(["agents:read"]);
    for (let request = 0; request < 100; request += 1) {
      const { status, headers } = await caller.get("/agents");
      expect(status).toBe(200);
      expect(limitHeaders(headers)).toEqual([null, null, null]);
    }
  });

  test("is refused without a look at the store's writes", async () => {
    const app = await startTestApp({ rate_limits: [PER_MINUTE(1)] });
    const user = await app.asUser("ann");
    await user.get("/sessions");
    app.failWrites(true);
    expect((await user.post("/sessions", {})).status).toBe(429);
    app.failWrites(false);
  });
});

describe("a rule of another header", () => {
  test("counts by its value, with the tier that another header names", async () => {
    const app = await startTestApp({ rate_limits: [BY_CUSTOMER] });
    const caller = await app.as(["chat"]);
    const send = async (customer: string, plan = "") => {
      const headers = { "X-Customer": customer, ...(plan ? { "X-Plan": plan } : {}) };
      return caller.open("/schemas/x/chat", { message: "hi" }, headers);
    };
    expect(limitHeaders((await send("acme", "gold")).headers).slice(0, 2)).toEqual(["3", "2"]);
    expect((await send("other")).status).toBe(404);
    const refused = await send("other");
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([429, "10"]);
    expect((await send("acme", "gold")).status).toBe(404);
    expect((await caller.get("/sessions")).headers.has("X-RateLimit-Limit")).toBe(false);
  });
});

describe("what a key used", () => {
  test("is told of a token by its name, never by its value", async () => {
    const app = await startTestApp({ rate_limits: [PER_MINUTE(50)] });
    const admin = await app.as("admin");
    const { body: token } = await admin.post("/auth/tokens", { name: "app", scopes: ["chat"] });
    await app.bearer(token.token).get("/sessions");
    await app.bearer(token.token).get("/sessions");
    const usage = await admin.get("/rate-limits/usage?key_header=authorization&key_value=app");
    expect(usage.status).toBe(200);
    expect(usage.body).toEqual({
      rule: "token",
      key: "app",
      tier: "default",
      used: 2,
      limit: 50,
      window: "60s",
      resets_at: "2026-03-01T12:01:00.000Z",
    });
    const session = await admin.get(
      "/rate-limits/usage?key_header=Authorization&key_value=jwt:local-admin",
    );
    expect(session.body.used).toBe(3);
  });

  test("is nothing of one that never came", async () => {
    const app = await startTestApp({ rate_limits: [BY_CUSTOMER] });
    const admin = await app.as("admin");
    const usage = await admin.get("/rate-limits/usage?key_header=X-Customer&key_value=acme");
    expect(usage.body).toMatchObject({ rule: "customer", tier: "default", used: 0, limit: 1 });
  });

  test("is told with the tier it has", async () => {
    const app = await startTestApp({ rate_limits: [BY_CUSTOMER] });
    const admin = await app.as("admin");
    await app.fetch("/nowhere", { headers: { "X-Customer": "acme" } });
    await (await app.as("nobody")).open(
      "/auth/local-session",
      {},
      { "X-Customer": "acme", "X-Plan": "gold" },
    );
    const usage = await admin.get("/rate-limits/usage?key_header=X-Customer&key_value=acme");
    expect(usage.body).toMatchObject({ tier: "gold", used: 1, limit: 3, window: "20s" });
  });

  test.each([
    ["without a header", "key_value=app", 400],
    ["without a value", "key_header=Authorization", 400],
    ["with an empty value", "key_header=Authorization&key_value=", 400],
    ["without either", "", 400],
    ["for a header without a rule", "key_header=X-Customer&key_value=acme", 404],
  ])("is refused %s", async (_what, query, status) => {
    const app = await startTestApp({ rate_limits: [PER_MINUTE(50)] });
    const admin = await app.as("admin");
    expect((await admin.get(`/rate-limits/usage?${query}`)).status).toBe(status);
  });

  test("is for admins alone", async () => {
    const app = await startTestApp({ rate_limits: [PER_MINUTE(50)] });
    const path = "/rate-limits/usage?key_header=Authorization&key_value=app";
    expect((await (await app.as(["resilience:read", "manage"])).get(path)).status).toBe(403);
    expect((await (await app.as(["admin"])).get(path)).status).toBe(200);
  });
});
