import { describe, expect, test } from "vitest";
import { routesOf } from "#server/routes/all.ts";
import { startTestApp } from "../support/app.ts";

const ROUTES = routesOf({ bootstrap_secret: undefined });
const UUID = "44444444-4444-4444-8444-444444444444";
const examplePath = (path: string) => path.replace(":id", UUID).replace(/:\w+/g, "an-example");
const guarded = ROUTES.filter(({ operation }) => operation.scope !== "public");

describe("every guarded route", () => {
  test.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s refuses nobody with 401 and a token without the scope with 403",
    async (_name, route) => {
      const app = await startTestApp();
      const url = `/api/v1${examplePath(route.path)}`;
      const stranger = await app.fetch(url, { method: route.method });
      expect(stranger.status).toBe(401);
      expect(stranger.headers.get("WWW-Authenticate")).toMatch(/^Bearer realm=/);
      expect(await stranger.json()).toMatchObject({ error: "unauthorized" });

      // Any token may call these.
      if (route.operation.scope === "authenticated") return;
      // `triggers:read` guards no route.
      const other = await app.as(["triggers:read"]);
      const method = route.method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete";
      const refused = await other[method](url, route.method === "GET" ? undefined : {});
      expect(refused.status).toBe(403);
      expect(refused.body).toMatchObject({ error: "forbidden" });
      const { scope } = route.operation;
      if (scope !== "admin_session") expect(refused.body.message).toContain([scope].flat()[0]);
    },
  );

  test.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s lets the scope it names pass its guard",
    async (_name, route) => {
      const { scope } = route.operation;
      const app = await startTestApp();
      const caller =
        scope === "admin_session"
          ? await app.as("admin")
          : await app.as([scope === "authenticated" ? "chat" : ([scope].flat()[0] as string)]);
      const method = route.method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete";
      const answer = await caller[method](
        `/api/v1${examplePath(route.path)}`,
        route.method === "GET" ? undefined : {},
      );
      expect([401, 403]).not.toContain(answer.status);
      expect(answer.status).toBeLessThan(500);
    },
  );
});

describe("an end user", () => {
  const reachable = /^(GET|POST|PUT|DELETE) \/(sessions|schemas\/:name\/chat)/;
  const administrative = guarded.filter(({ method, path }) => !reachable.test(`${method} ${path}`));

  test.each(administrative.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "may not call %s",
    async (_name, route) => {
      const app = await startTestApp();
      const user = await app.asUser("ann");
      const method = route.method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete";
      const answer = await user[method](
        `/api/v1${examplePath(route.path)}`,
        route.method === "GET" ? undefined : {},
      );
      expect(answer.status).toBe(403);
    },
  );
});

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

describe("a request nobody serves", () => {
  test("is a 404 in the error shape when the route is unknown", async () => {
    const app = await startTestApp();
    const answer = await app.fetch("/api/v1/nowhere");
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      error: "not_found",
      message: expect.stringContaining("/nowhere"),
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

describe("the OpenAPI document", () => {
  test("describes every route with its scope, parameters and answers", async () => {
    const app = await startTestApp();
    const document = (await (await app.fetch("/api/v1/openapi.json")).json()) as {
      openapi: string;
      paths: Record<
        string,
        Record<
          string,
          {
            operationId: string;
            description: string;
            parameters: { name: string; in: string }[];
            responses: object;
          }
        >
      >;
    };
    expect(document.openapi).toBe("3.1.0");
    for (const { method, path, operation, status } of ROUTES) {
      const described =
        document.paths[`/api/v1${path.replace(/:(\w+)/g, "{$1}")}`]?.[method.toLowerCase()];
      expect(described?.operationId).toBe(operation.name);
      expect(described?.description).toContain([operation.scope].flat()[0]);
      expect(Object.keys(described?.responses ?? {})).toEqual([String(status), "default"]);
      const inPath = described?.parameters
        .filter((parameter) => parameter.in === "path")
        .map(({ name }) => name);
      expect(inPath).toEqual(path.match(/:\w+/g)?.map((name) => name.slice(1)) ?? []);
    }
  });
});
