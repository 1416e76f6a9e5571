import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";

describe("every answer", () => {
  test.each([
    ["a success", "GET", "/api/v1/health"],
    ["an unknown route", "GET", "/api/v1/nowhere"],
    ["a wrong method", "DELETE", "/api/v1/agents"],
    ["a refusal", "GET", "/api/v1/agents"],
  ])("carries the security headers: %s", async (_what, method, path) => {
    const app = await startTestApp();
    const { headers } = await app.fetch(path, { method });
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("X-Frame-Options")).toBe("DENY");
    expect(headers.get("Referrer-Policy")).toBe("strict-origin-when-cross-origin");
    expect(headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(headers.get("X-Request-Id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.has("Strict-Transport-Security")).toBe(false);
  });

  test("asks for TLS only when it came over TLS", async () => {
    const app = await startTestApp();
    const { headers } = await app.fetch("/api/v1/health", {
      headers: { "X-Forwarded-Proto": "https" },
    });
    expect(headers.get("Strict-Transport-Security")).toContain("max-age=");
  });
});

describe("the server's own address", () => {
  test("is a page for browsers, without scripts, that leads to what there is", async () => {
    const app = await startTestApp();
    const page = await app.fetch("/", { headers: { Accept: "text/html,*/*;q=0.8" } });
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    const text = await page.text();
    expect(text).not.toContain("<script");
    for (const [, path = ""] of text.matchAll(/href="([^"]+)"/g))
      expect((await app.fetch(path)).status, path).toBe(200);
  });

  test("is nothing to programs", async () => {
    const app = await startTestApp();
    const answer = await app.fetch("/", { headers: { Accept: "*/*" } });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: "not_found" });
  });
});

describe("a request nobody serves", () => {
  test("is a 404 in the error shape when the route is unknown", async () => {
    const app = await startTestApp();
    const answer = await app.fetch("/api/v1/nowhere");
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: "not_found",
      message: "there is nothing at /api/v1/nowhere; /api/v1/openapi.json describes what there is",
    });
  });

  test("is a 405 that names the methods when only the method is wrong", async () => {
    const app = await startTestApp();
    const answer = await app.fetch("/api/v1/agents", { method: "DELETE" });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("Allow")).toBe("GET, POST");
    expect(await answer.json()).toMatchObject({ error: "method_not_allowed" });
  });
});

describe("a body", () => {
  test.each([
    ["that is no JSON", "{", /not valid JSON/],
    ["that is a list", "[]", /JSON object/],
    [
      "that is too large",
      JSON.stringify({ name: "a".repeat(1_100_000) }),
      /larger than 1048576 bytes/,
    ],
  ])("%s is refused with a reason", async (_what, body, reason) => {
    const admin = await (await startTestApp()).as("admin");
    const answer = await admin.post("/schemas", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toMatch(reason);
  });

  test("can't reach an object's prototype", async () => {
    const admin = await (await startTestApp()).as("admin");
    await admin.post(
      "/schemas",
      '{"name": "a", "__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}',
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test("keeps script, SQL and control characters as data", async () => {
    const admin = await (await startTestApp()).as("admin");
    const description = "<script>alert(1)</script>'; DROP TABLE agents; -- \u0000\u001b[31m\u202e";
    await admin.post("/schemas", { name: "a", description });
    expect((await admin.get("/schemas/a")).body.description).toBe(description);
  });
});

describe("health", () => {
  test("is told to anybody, with all its fields", async () => {
    const app = await startTestApp();
    app.clock.pass(3_723_000);
    const nobody = await app.as("nobody");
    expect((await nobody.get("/health")).body).toEqual({
      status: "ok",
      version: "0.0.0-test",
      uptime: "1h2m3s",
      agents_count: 0,
      database: "ok",
      platform_default_model: false,
    });
    expect((await nobody.get("/api/v1/health")).status).toBe(200);
  });
});
