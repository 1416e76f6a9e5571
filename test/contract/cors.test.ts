import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";

const OWN = "https://app.example.com";
const FOREIGN = "https://elsewhere.example.net";

const preflight = (origin: string, method = "POST") => ({
  method: "OPTIONS",
  headers: {
    Origin: origin,
    "Access-Control-Request-Method": method,
    "Access-Control-Request-Headers": "authorization,content-type",
  },
});

const listOf = (headers: Headers, name: string) =>
  (headers.get(name) ?? "").split(",").map((item) => item.trim());

describe("the chat routes", () => {
  test.each(["/schemas/support/chat", "/widget-config"])(
    "%s may be called by any page, without credentials of its browser",
    async (path) => {
      const app = await startTestApp();
      const { status, headers } = await app.fetch(path, preflight(FOREIGN));
      expect(status).toBe(204);
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
      expect(headers.has("Access-Control-Allow-Credentials")).toBe(false);
      expect(headers.get("Access-Control-Max-Age")).toBe("86400");
      expect(listOf(headers, "Access-Control-Allow-Methods")).toEqual(["GET", "POST", "OPTIONS"]);
      expect(listOf(headers, "Access-Control-Allow-Headers")).toEqual(
        expect.arrayContaining([
          "Authorization",
          "Content-Type",
          "Accept",
          "X-Model-Provider",
          "X-Model-API-Key",
          "X-Model-Name",
          "X-BYOK-Provider",
          "X-BYOK-API-Key",
          "X-BYOK-Model",
          "X-BYOK-Base-URL",
        ]),
      );
    },
  );

  test("tell a page the ids of its turn", async () => {
    const app = await startChatApp([{ text: "Hi." }]);
    const response = await app.admin.open(
      "/schemas/support/chat",
      { message: "hi" },
      { Origin: FOREIGN },
    );
    await response.text();
    expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
    const exposed = listOf(response.headers, "Access-Control-Expose-Headers");
    expect(exposed).toEqual(
      expect.arrayContaining(["X-Session-Id", "X-Turn-Id", "X-Resume-Id", "X-Request-Id"]),
    );
    for (const name of ["X-Session-Id", "X-Turn-Id", "X-Resume-Id"])
      expect(response.headers.has(name)).toBe(true);
  });

  test("let a page read why it was refused", async () => {
    const app = await startTestApp();
    const headers = { Origin: FOREIGN };
    const refused = await app.fetch("/schemas/support/chat", { method: "POST", headers });
    expect(refused.status).toBe(401);
    expect(refused.headers.get("Access-Control-Allow-Origin")).toBe("*");
  });
});

describe("files of the widget", () => {
  test.each(["/widget.js", "/widget/style.css"])("%s may be read by any page", async (path) => {
    const app = await startTestApp();
    const { status, headers } = await app.fetch(path, preflight(FOREIGN, "GET"));
    expect(status).toBe(204);
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(listOf(headers, "Access-Control-Allow-Methods")).toEqual(["GET", "HEAD", "OPTIONS"]);
    expect(headers.get("Access-Control-Max-Age")).toBe("86400");
  });

  test("are not there, in the shape of every error", async () => {
    const app = await startTestApp();
    const missing = await app.fetch("/widget.js");
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: "not_found" });
  });
});

describe("routes of the authorization server", () => {
  test.each([
    "/.well-known/oauth-authorization-server",
    "/oauth/token",
    "/oauth/register",
    "/api/v1/oauth/token",
  ])("%s may be called by any page", async (path) => {
    const app = await startTestApp();
    const { status, headers } = await app.fetch(path, preflight(FOREIGN));
    expect(status).toBe(204);
    expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    expect(listOf(headers, "Access-Control-Allow-Headers")).toEqual([
      "Content-Type",
      "Accept",
      "MCP-Protocol-Version",
    ]);
  });

  test("but not the consent", async () => {
    const app = await startTestApp();
    const { headers } = await app.fetch("/oauth/approve", preflight(FOREIGN));
    expect(headers.has("Access-Control-Allow-Origin")).toBe(false);
  });
});

describe("everything else", () => {
  test.each(["/agents", "/sessions/x", "/auth/local-session", "/settings/k", "/nowhere"])(
    "%s may be called by pages of listed origins, with credentials",
    async (path) => {
      const app = await startTestApp({ cors_origins: [OWN] });
      const { status, headers } = await app.fetch(path, preflight(OWN, "PUT"));
      expect(status).toBe(204);
      expect(headers.get("Access-Control-Allow-Origin")).toBe(OWN);
      expect(headers.get("Access-Control-Allow-Credentials")).toBe("true");
      expect(headers.get("Access-Control-Max-Age")).toBe("300");
      expect(headers.get("Vary")).toContain("Origin");
      expect(listOf(headers, "Access-Control-Allow-Methods")).toEqual([
        "GET",
        "POST",
        "PUT",
        "PATCH",
        "DELETE",
        "OPTIONS",
      ]);
    },
  );

  test("exposes the headers of limits", async () => {
    const app = await startTestApp({ cors_origins: [OWN] });
    const { status, headers } = await app.fetch("/agents", { headers: { Origin: OWN } });
    expect(status).toBe(401);
    expect(headers.get("Access-Control-Allow-Origin")).toBe(OWN);
    expect(listOf(headers, "Access-Control-Expose-Headers")).toEqual(
      expect.arrayContaining([
        "Link",
        "X-RateLimit-Limit",
        "X-RateLimit-Remaining",
        "X-RateLimit-Reset",
        "Retry-After",
      ]),
    );
  });

  test.each([
    ["a foreign origin", [OWN], FOREIGN],
    ["an origin that begins like a listed one", [OWN], `${OWN}.evil.net`],
    ["the same host without TLS", [OWN], "http://app.example.com"],
    ["another port", [OWN], `${OWN}:8443`],
    ["an opaque origin", [OWN], "null"],
    ["any origin when none is listed", [], OWN],
  ])("tells %s nothing", async (_what, cors_origins, origin) => {
    const app = await startTestApp({ cors_origins });
    const asked = await app.fetch("/agents", preflight(origin));
    expect(asked.status).toBe(204);
    const called = await app.fetch("/health", { headers: { Origin: origin } });
    for (const { headers } of [asked, called]) {
      const names = [...headers.keys()].filter((name) => name.startsWith("access-control-"));
      expect(names).toEqual([]);
    }
  });

  test("is not to be mixed up by caches once origins are listed", async () => {
    const app = await startTestApp({ cors_origins: [OWN] });
    expect((await app.fetch("/health")).headers.get("Vary")).toContain("Origin");
  });

  test("takes an OPTIONS request that is no preflight for a wrong method", async () => {
    const app = await startTestApp();
    expect((await app.fetch("/agents", { method: "OPTIONS" })).status).toBe(405);
  });

  test("opens no local session for a page, listed or not", async () => {
    const app = await startTestApp({ cors_origins: [OWN] });
    const headers = { Origin: OWN, Host: "127.0.0.1" };
    const refused = await app.fetch("/auth/local-session", { method: "POST", headers });
    expect(refused.status).toBe(403);
  });
});

describe("the id of a request", () => {
  const OWN_ID = "build-17.step_2";

  test("is the caller's own, in the header and in the error", async () => {
    const app = await startTestApp();
    const answer = await app.fetch("/agents", { headers: { "X-Request-Id": OWN_ID } });
    expect(answer.headers.get("X-Request-Id")).toBe(OWN_ID);
    expect(await answer.json()).toMatchObject({ request_id: OWN_ID });
  });

  test.each(["", "two words", "a".repeat(129), "ü", "a;b", '{"x":1}'])(
    "is a new one instead of %j",
    async (given) => {
      const app = await startTestApp();
      // Headers are bytes: what is no Latin text arrives as its bytes.
      const headers = { "X-Request-Id": Buffer.from(given).toString("latin1") };
      const answer = await app.fetch("/agents", { headers });
      const id = answer.headers.get("X-Request-Id");
      expect(id).toMatch(/^[0-9a-f-]{36}$/);
      expect(await answer.json()).toMatchObject({ request_id: id });
    },
  );

  test.each([
    ["a preflight", "OPTIONS", "/agents"],
    ["an unknown route", "GET", "/nowhere"],
    ["a wrong method", "PATCH", "/agents"],
  ])("is on %s, too", async (_what, method, path) => {
    const app = await startTestApp();
    const headers = { ...preflight(OWN).headers, "X-Request-Id": OWN_ID };
    const answer = await app.fetch(path, { method, headers });
    expect(answer.headers.get("X-Request-Id")).toBe(OWN_ID);
  });
});
