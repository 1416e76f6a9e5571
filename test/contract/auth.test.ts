import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";

describe("an API token", () => {
  test("is shown once, works at once, and is told in lists without its value", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    const { status, body } = await admin.post("/auth/tokens", {
      name: "app",
      scopes: ["agents", "chat", "nonsense"],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "app", scopes: ["chat", "agents:read"], scopes_mask: 5 });
    expect(body.token).toMatch(/^bb_[0-9a-f]{64}$/);
    expect((await app.bearer(body.token).get("/agents")).status).toBe(200);

    const list = await admin.get("/auth/tokens");
    expect(list.body).toEqual([
      {
        id: body.id,
        name: "app",
        scopes: ["chat", "agents:read"],
        scopes_mask: 5,
        created_at: expect.any(String),
        last_used_at: expect.any(String),
      },
    ]);
    expect(list.text).not.toContain(body.token.slice(3));
    expect(JSON.stringify(await app.store.read.tokens.list())).not.toContain(body.token.slice(3));
  });

  test("takes a mask, and the mask and the names together", async () => {
    const admin = await (await startTestApp()).as("admin");
    expect((await admin.post("/auth/tokens", { name: "a", scopes_mask: 68 })).body.scopes).toEqual([
      "agents:read",
      "models:read",
    ]);
    expect(
      (await admin.post("/auth/tokens", { name: "b", scopes_mask: 4, scopes: ["chat"] })).body
        .scopes_mask,
    ).toBe(5);
  });

  test("stops working with the next request after it was revoked", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    const { body } = await admin.post("/auth/tokens", { name: "app", scopes: ["agents:read"] });
    expect((await admin.delete(`/auth/tokens/${body.id}`)).status).toBe(204);
    const refused = await app.bearer(body.token).get("/agents");
    expect(refused).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    expect(refused.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
    expect((await admin.delete(`/auth/tokens/${body.id}`)).status).toBe(404);
    expect((await admin.delete("/auth/tokens/7")).status).toBe(400);
  });

  test("can't manage tokens, whatever its scopes", async () => {
    const app = await startTestApp();
    const powerful = await app.as(["admin"]);
    expect((await powerful.get("/agents")).status).toBe(200);
    for (const answer of [
      await powerful.get("/auth/tokens"),
      await powerful.post("/auth/tokens", { name: "b", scopes: ["chat"] }),
      await powerful.delete("/auth/tokens/44444444-4444-4444-8444-444444444444"),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: "forbidden" } });
    }
  });

  test("notes its last use at most once a minute", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    const { body } = await admin.post("/auth/tokens", { name: "app", scopes: ["agents:read"] });
    const used = async () => (await admin.get("/auth/tokens")).body[0].last_used_at;
    await app.bearer(body.token).get("/agents");
    const first = await used();
    app.clock.pass(30_000);
    await app.bearer(body.token).get("/agents");
    expect(await used()).toBe(first);
    app.clock.pass(30_000);
    await app.bearer(body.token).get("/agents");
    expect(await used()).not.toBe(first);
  });

  test.each([
    ["no name", { scopes: ["chat"] }, 400],
    ["a blank name", { name: "  ", scopes: ["chat"] }, 400],
    ["a colon in the name", { name: "a:b", scopes: ["chat"] }, 400],
    ["no scope", { name: "a" }, 400],
    ["unknown scopes only", { name: "a", scopes: ["root", "__proto__"] }, 400],
    ["a taken name", { name: "taken", scopes: ["chat"] }, 409],
  ])("is refused with %s", async (_what, body, status) => {
    const admin = await (await startTestApp()).as("admin");
    await admin.post("/auth/tokens", { name: "taken", scopes: ["chat"] });
    expect((await admin.post("/auth/tokens", body)).status).toBe(status);
    expect((await admin.get("/auth/tokens")).body).toHaveLength(1);
  });
});

describe("a credential that is no good gets 401", () => {
  const now = () => Math.floor(Date.parse("2026-03-01T12:00:00Z") / 1000);

  test.each([
    ["an unknown token", `bb_${"0".repeat(64)}`],
    ["a malformed token", "bb_short"],
    ["no JWT at all", "hello"],
    ["an empty bearer", ""],
    ["a very long text", "x".repeat(5_000)],
  ])("%s", async (_what, token) => {
    const app = await startTestApp();
    expect((await app.bearer(token).get("/agents")).status).toBe(401);
  });

  test.each([
    ["basic credentials", "Basic dXNlcjpwYXNz"],
    ["a lower-case scheme", "bearer bb_x"],
    ["a scheme without a token", "Bearer"],
  ])("%s", async (_what, authorization) => {
    const app = await startTestApp();
    expect(
      (await app.fetch("/api/v1/agents", { headers: { Authorization: authorization } })).status,
    ).toBe(401);
  });

  test("a token in the URL", async () => {
    const app = await startTestApp();
    const token = await app.signJwt({ sub: "local-admin", scope: "admin" });
    expect((await app.fetch(`/api/v1/agents?access_token=${token}&token=${token}`)).status).toBe(
      401,
    );
  });

  test.each([
    ["an expired JWT", { exp: now() - 60 }],
    ["a JWT without an end", { exp: undefined }],
    ["a JWT that is not valid yet", { nbf: now() + 600 }],
    ["a JWT without a subject", { sub: undefined }],
    ["a JWT with an unknown scope", { scope: "admin root" }],
  ])("%s", async (_what, claims) => {
    const app = await startTestApp();
    const token = await app.signJwt({ sub: "x", scope: "admin", ...claims });
    expect((await app.bearer(token).get("/agents")).status).toBe(401);
  });

  test.each(["web", "web:ann"])("a JWT for %s beside an API token web", async (sub) => {
    const app = await startTestApp();
    const end_user = app.bearer(await app.signJwt({ sub, scope: "chat" }));
    expect((await end_user.get("/sessions")).status).toBe(200);
    await (await app.as("admin")).post("/auth/tokens", { name: "web", scopes: ["chat"] });
    const { status, body } = await end_user.get("/sessions");
    expect(status).toBe(401);
    expect(body.message).toContain('the API token "web"');
  });

  test("a JWT of another key, another algorithm or none", async () => {
    const app = await startTestApp();
    const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519" });
    const claims = { sub: "x", scope: "admin", exp: now() + 600 };
    const foreign = await new SignJWT(claims).setProtectedHeader({ alg: "EdDSA" }).sign(privateKey);
    const symmetric = await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256" })
      .sign(new Uint8Array(32));
    const unsecured = new UnsecuredJWT(claims).encode();
    for (const token of [foreign, symmetric, unsecured]) {
      expect((await app.bearer(token).get("/agents")).status).toBe(401);
    }
  });
});

describe("a local session", () => {
  const ask = (headers: Record<string, string>) => ({ method: "POST", headers });

  test("makes an admin of a program on this machine, and can be renewed", async () => {
    const app = await startTestApp();
    const answer = await app.fetch("/auth/local-session", ask({ Host: "127.0.0.1:8443" }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
    const session = (await answer.json()) as { access_token: string };
    expect(session).toEqual({
      access_token: expect.any(String),
      expires_at: "2026-03-01T13:00:00.000Z",
      token_type: "Bearer",
    });
    const admin = app.bearer(session.access_token);
    expect((await admin.get("/auth/tokens")).status).toBe(200);
    expect((await admin.post("/auth/local-session/refresh")).body.access_token).toEqual(
      expect.any(String),
    );
    app.clock.pass(3_700_000);
    expect((await admin.get("/agents")).status).toBe(401);
  });

  test.each([
    ["a foreign host name", { Host: "evil.example" }],
    ["a name that only looks like loopback", { Host: "127.0.0.1.evil.example" }],
    ["another site's page", { Host: "127.0.0.1", "Sec-Fetch-Site": "cross-site" }],
    ["a sibling site's page", { Host: "127.0.0.1", "Sec-Fetch-Site": "same-site" }],
    ["a foreign origin", { Host: "127.0.0.1:8443", Origin: "https://evil.example" }],
    ["another port's page", { Host: "127.0.0.1:8443", Origin: "http://127.0.0.1:3000" }],
    ["what a proxy passes on", { Host: "127.0.0.1", "X-Forwarded-For": "203.0.113.7" }],
    ["what a proxy passes on by the standard", { Host: "127.0.0.1", Forwarded: "for=x" }],
    ["an opaque origin", { Host: "127.0.0.1:8443", Origin: "null" }],
  ])("is refused to %s", async (_what, headers) => {
    const app = await startTestApp();
    const answer = await app.fetch("/auth/local-session", ask(headers));
    expect(answer.status).toBe(403);
    expect(await answer.text()).not.toContain("access_token");
  });

  test("needs the secret from the data directory when the server is open to others", async () => {
    const app = await startTestApp({ bootstrap_secret: "s3cret" });
    const status = async (headers: Record<string, string>) =>
      (await app.fetch("/auth/local-session", ask({ Host: "127.0.0.1", ...headers }))).status;
    expect(await status({})).toBe(403);
    expect(await status({ "X-Bootstrap-Secret": "guess" })).toBe(403);
    expect(await status({ "X-Bootstrap-Secret": "s3cret" })).toBe(200);
  });

  test("does not exist in external mode", async () => {
    const app = await startTestApp({ issuer: undefined });
    expect((await app.fetch("/auth/local-session", ask({ Host: "127.0.0.1" }))).status).toBe(404);
  });
});

describe("settings", () => {
  test("are seeded, listed and set by any key", async () => {
    const admin = await (await startTestApp()).as("admin");
    expect(
      (await admin.get("/settings")).body.map(({ key, value }: { key: string; value: string }) => [
        key,
        value,
      ]),
    ).toEqual([
      ["byok.allowed_providers", "[]"],
      ["byok.enabled", "false"],
      ["confirmation.timeout_seconds", "600"],
    ]);
    expect((await admin.put("/settings/byok.enabled", { value: "true" })).body).toMatchObject({
      key: "byok.enabled",
      value: "true",
    });
    expect((await admin.put("/settings/my.own", { value: "x" })).status).toBe(200);
    for (const [value, text] of [
      [true, "true"],
      [["openai", "anthropic"], '["openai","anthropic"]'],
      ["", ""],
    ]) {
      const { body } = await admin.put("/settings/my.own", { value });
      expect(body).toEqual({ key: "my.own", value: text, updated_at: "2026-03-01T12:00:00Z" });
    }
    expect((await admin.put("/settings/my.own", { value: 7 })).status).toBe(400);
    expect((await admin.put("/settings/my.own", {})).status).toBe(400);
  });
});
