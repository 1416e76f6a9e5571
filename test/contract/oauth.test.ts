import { decodeJwt, generateKeyPair, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { startTestApp, type TestApp } from "../support/app.ts";
import { MCP_URL, message, toolCall } from "../support/mcp.ts";
import {
  authorization,
  authorized,
  connected,
  consent,
  ISSUER,
  info,
  pkce,
  postForm,
  REDIRECT,
  register,
} from "../support/oauth.ts";

const ping = (app: TestApp, token: string) => app.bearer(token).post("/mcp/rpc", message("ping"));

describe("discovery", () => {
  test("leads from a refused request to a way in", async () => {
    const app = await startTestApp();
    const nobody = await app.as("nobody");
    const refused = await nobody.post("/mcp/rpc", message("ping"));
    expect(refused.status).toBe(401);
    expect(refused.headers.get("WWW-Authenticate")).toBe(
      `Bearer realm="troupe", resource_metadata="${ISSUER}/.well-known/oauth-protected-resource/api/v1/mcp/rpc", scope="provision"`,
    );
    for (const path of ["", "/api/v1/mcp/rpc"]) {
      const resource = await nobody.get(`/.well-known/oauth-protected-resource${path}`);
      expect(resource.body).toEqual({
        resource: MCP_URL,
        authorization_servers: [ISSUER],
        scopes_supported: ["provision", "manage"],
        bearer_methods_supported: ["header"],
        resource_name: "troupe provisioning",
      });
    }
    const server = await nobody.get("/.well-known/oauth-authorization-server");
    expect(server.body).toEqual({
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/admin/oauth/consent`,
      token_endpoint: `${ISSUER}/oauth/token`,
      registration_endpoint: `${ISSUER}/oauth/register`,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      scopes_supported: ["provision", "manage", "offline_access"],
      authorization_response_iss_parameter_supported: true,
    });
  });

  test("tells the configured address, whatever Host a request names", async () => {
    const app = await startTestApp({ public_url: "https://agents.example.com" });
    for (const host of ["127.0.0.1:8443", "agents.example.com", "evil.example"]) {
      const answer = await app.fetch("/.well-known/oauth-protected-resource", {
        headers: { Host: host, "X-Forwarded-Host": "evil.example" },
      });
      expect(await answer.json()).toMatchObject({
        resource: "https://agents.example.com/api/v1/mcp/rpc",
        authorization_servers: ["https://agents.example.com"],
      });
    }
  });

  test("is off where the address can't be known, and where it is switched off", async () => {
    const unknown = await startTestApp();
    const headers = { Host: "agents.example.com" };
    const off = await startTestApp({ has_oauth: false });
    for (const path of [
      "/.well-known/oauth-authorization-server",
      "/.well-known/oauth-protected-resource",
      "/.well-known/oauth-protected-resource/api/v1/mcp/rpc",
    ]) {
      expect((await unknown.fetch(path, { headers })).status).toBe(404);
      expect((await off.fetch(path)).status).toBe(404);
    }
    expect((await register(off)).status).toBe(404);
    const refused = await (await off.as("nobody")).post("/mcp/rpc", message("ping"));
    expect(refused.headers.get("WWW-Authenticate")).toBe('Bearer realm="troupe"');
  });
});

describe("registration", () => {
  test("gives a public client an id, at both addresses", async () => {
    const app = await startTestApp();
    const metadata = { redirect_uris: [REDIRECT], client_name: "Editor", logo_uri: "x" };
    for (const path of ["/oauth/register", "/api/v1/oauth/register"]) {
      const { status, body, headers } = await (await app.as("nobody")).post(path, metadata);
      expect(status).toBe(201);
      expect(headers.get("Cache-Control")).toBe("no-store");
      expect(body).toEqual({
        client_id: expect.any(String),
        client_id_issued_at: Math.floor(app.clock.now().getTime() / 1000),
        client_name: "Editor",
        redirect_uris: [REDIRECT],
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      });
    }
  });

  test.each([
    ["no address", { redirect_uris: [] }, "invalid_redirect_uri"],
    ["too many", { redirect_uris: Array(11).fill(REDIRECT) }, "invalid_redirect_uri"],
    [
      "more than a client's id can hold",
      {
        redirect_uris: Array.from({ length: 9 }, (_, at) => `https://a.b/${at}${"é".repeat(400)}`),
      },
      "invalid_redirect_uri",
    ],
    [
      "a long one",
      { redirect_uris: [`https://x.example/${"a".repeat(512)}`] },
      "invalid_redirect_uri",
    ],
    ["a script", { redirect_uris: ["javascript:alert(1)"] }, "invalid_redirect_uri"],
    ["http elsewhere", { redirect_uris: ["http://app.example.com/"] }, "invalid_redirect_uri"],
    ["one bad of two", { redirect_uris: [REDIRECT, "data:text/html,x"] }, "invalid_redirect_uri"],
    ["no list", { redirect_uris: REDIRECT }, "invalid_request"],
  ])("is refused: %s", async (_what, metadata, error) => {
    const app = await startTestApp();
    const answer = await register(app, metadata);
    expect(answer).toMatchObject({ status: 400, body: { error } });
    expect(answer.body.error_description).toEqual(expect.any(String));
  });

  test("is bounded: in size, and in how many a minute", async () => {
    const app = await startTestApp();
    expect((await register(app, { pad: "x".repeat(20_000) })).status).toBe(400);
    const statuses = [];
    for (let number = 0; number < 61; number += 1) statuses.push((await register(app)).status);
    expect(statuses.at(0)).toBe(201);
    expect(statuses.at(-1)).toBe(429);
    expect(await app.store.read.oauth_grants.list()).toEqual([]);
  });

  test("shows a name as one short line", async () => {
    const app = await startTestApp();
    const { body } = await register(app, {
      client_name: `  Good\n\u202eEditor\u0000${"x".repeat(200)}`,
    });
    expect(body.client_name).toBe(`GoodEditor${"x".repeat(90)}`);
  });
});

describe("what the consent page is told", () => {
  test("is who asks for what, and more for an administrator alone", async () => {
    const app = await startTestApp();
    const { request } = await authorization(app, { scope: "manage offline_access" });
    const shown = {
      client_name: "Editor",
      scopes: ["provision", "manage"],
      redirect_uri_valid: true,
      redirect_place: "127.0.0.1:3000",
      resource: MCP_URL,
    };
    for (const caller of [
      await app.as("nobody"),
      await app.as(["manage"]),
      await app.asUser("ann"),
    ]) {
      expect(await info(caller, request)).toMatchObject({ status: 200, body: shown });
      expect((await info(caller, request)).body.consent_nonce).toBeUndefined();
    }
    for (const caller of [await app.as("admin"), await app.as(["admin"])]) {
      const { body } = await info(caller, request);
      expect(body).toEqual({ ...shown, consent_nonce: expect.any(String) });
    }
  });

  test.each<[string, Record<string, string>, string]>([
    ["another response", { response_type: "token" }, "unsupported_response_type"],
    ["no method", { code_challenge_method: "" }, "invalid_request"],
    ["the plain method", { code_challenge_method: "plain" }, "invalid_request"],
    ["no challenge", { code_challenge: "" }, "invalid_request"],
    ["a short challenge", { code_challenge: "abc" }, "invalid_request"],
    ["an unknown scope", { scope: "provision admin" }, "invalid_scope"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
    ["the server as a whole", { resource: ISSUER }, "invalid_target"],
  ])("is what is wrong, and where to say it: %s", async (_what, change, error) => {
    const app = await startTestApp();
    const { request } = await authorization(app, change);
    const { status, body } = await info(await app.as("admin"), request);
    expect([status, body.error, body.consent_nonce]).toEqual([400, error, undefined]);
    const url = new URL(body.redirect_url);
    expect(url.href.startsWith(REDIRECT)).toBe(true);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      error,
      state: "xyz",
      iss: ISSUER,
    });
  });

  test.each<[string, Record<string, string>]>([
    ["an address of nobody", { redirect_uri: "https://evil.example/" }],
    ["an address that begins alike", { redirect_uri: `${REDIRECT}/more` }],
    ["no address", { redirect_uri: "" }],
    ["a script", { redirect_uri: "javascript:alert(1)" }],
  ])("leads nowhere when the address is not the client's: %s", async (_what, change) => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    const { request } = await authorization(app, { ...change, code_challenge_method: "plain" });
    expect(await info(admin, request)).toMatchObject({
      status: 200,
      body: { client_name: "Editor", scopes: [], redirect_uri_valid: false, resource: MCP_URL },
    });
    expect(Object.keys((await info(admin, request)).body)).toHaveLength(4);
    const { body } = await info(admin, (await authorization(app)).request);
    const answer = { ...request, consent_nonce: body.consent_nonce };
    expect(await admin.post("/oauth/approve", answer)).toMatchObject({ status: 400 });
  });

  test("is nothing for a client that never registered", async () => {
    const app = await startTestApp();
    const { request } = await authorization(app, { client_id: "somebody" });
    expect(await info(await app.as("admin"), request)).toMatchObject({
      status: 400,
      body: { error: "invalid_client" },
    });
  });

  test("takes an address of this machine at any port", async () => {
    const app = await startTestApp();
    const { request } = await authorization(app, {
      redirect_uri: "http://127.0.0.1:61234/callback",
    });
    expect((await info(await app.as("admin"), request)).status).toBe(200);
  });
});

describe("consent", () => {
  test("sends the client a code, its state, and who answers", async () => {
    const app = await startTestApp();
    const { request } = await authorization(app);
    const url = await consent(await app.as("admin"), request);
    expect(url.origin + url.pathname).toBe(REDIRECT);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: "xyz",
      iss: ISSUER,
    });
  });

  test("that is refused sends the client no code", async () => {
    const app = await startTestApp();
    const { request } = await authorization(app);
    const url = await consent(await app.as("admin"), request, { deny: true });
    expect(Object.fromEntries(url.searchParams)).toEqual({
      error: "access_denied",
      state: "xyz",
      iss: ISSUER,
    });
  });

  test("is an administrator's alone", async () => {
    const app = await startTestApp();
    const { request } = await authorization(app);
    const { body } = await info(await app.as("admin"), request);
    const answer = { ...request, consent_nonce: body.consent_nonce };
    expect((await (await app.as("nobody")).post("/oauth/approve", answer)).status).toBe(401);
    for (const caller of [await app.as(["manage"]), await app.asUser("ann")]) {
      expect((await caller.post("/oauth/approve", answer)).status).toBe(403);
    }
    const { access_token } = await connected(app, { scope: "manage" });
    expect((await app.bearer(access_token).post("/oauth/approve", answer)).status).toBe(401);
    expect(await app.store.read.oauth_grants.list()).toHaveLength(1);
  });

  test("is for what was shown, to whom it was shown, once, for ten minutes", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    const { request } = await authorization(app);
    const { body } = await info(admin, request);
    const approve = (caller: typeof admin, change: object = {}) =>
      caller.post("/oauth/approve", { ...request, consent_nonce: body.consent_nonce, ...change });
    const other = (await register(app, { client_name: "Other" })).body.client_id;
    for (const change of [
      { scope: "manage" },
      { state: "abc" },
      { code_challenge: pkce().challenge },
      { redirect_uri: "http://127.0.0.1:4000/callback" },
      { client_id: other },
      { consent_nonce: "x" },
      { consent_nonce: undefined },
    ]) {
      expect((await approve(admin, change)).status).toBe(400);
    }
    expect((await approve(await app.as(["admin"]))).status).toBe(400);
    expect((await approve(admin)).status).toBe(200);
    expect(await approve(admin)).toMatchObject({ status: 400, body: { error: "invalid_request" } });

    const late = (await info(admin, request)).body.consent_nonce;
    app.clock.pass(601_000);
    const renewed = await app.as("admin");
    expect((await approve(renewed, { consent_nonce: late })).status).toBe(400);
  });

  test("can be for less than was asked, not for more", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    const asked = await authorization(app, { scope: "manage" });
    const url = await consent(admin, asked.request, { approved_scopes: ["provision"] });
    const tokens = await postForm(app, {
      grant_type: "authorization_code",
      client_id: asked.request.client_id ?? "",
      redirect_uri: REDIRECT,
      code: url.searchParams.get("code") ?? "",
      code_verifier: asked.verifier,
    });
    expect(tokens.body.scope).toBe("provision");

    const { request } = await authorization(app);
    const { body } = await info(admin, request);
    for (const approved_scopes of [["manage"], ["admin"], []]) {
      const answer = await admin.post("/oauth/approve", {
        ...request,
        consent_nonce: body.consent_nonce,
        approved_scopes,
      });
      expect(answer).toMatchObject({ status: 400, body: { error: "invalid_scope" } });
    }
  });
});

describe("a code", () => {
  test("is exchanged for tokens that nobody may keep in a cache", async () => {
    const app = await startTestApp();
    const { fields } = await authorized(app);
    const { status, body, headers } = await postForm(app, fields);
    expect(status).toBe(200);
    expect(headers.get("Cache-Control")).toBe("no-store");
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: "Bearer",
      expires_in: 1800,
      refresh_token: expect.any(String),
      scope: "provision",
    });
    expect(decodeJwt(body.access_token)).toMatchObject({ iss: ISSUER, aud: MCP_URL });
    expect((await ping(app, body.access_token)).status).toBe(200);
  });

  test("works once: used again it takes everything with it", async () => {
    const app = await startTestApp();
    const { access_token, refresh_token, fields, refresh } = await connected(app);
    expect(await postForm(app, fields)).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    expect((await ping(app, access_token)).status).toBe(401);
    expect((await refresh(refresh_token)).body.error).toBe("invalid_grant");
    const { body } = await (await app.as("admin")).get("/audit?action=oauth.revoke");
    expect(body.data).toHaveLength(1);
    expect(body.data[0].details).toContain("Editor");
  });

  test("works for five minutes", async () => {
    const app = await startTestApp();
    const early = await authorized(app);
    const late = await authorized(app);
    app.clock.pass(299_000);
    expect((await postForm(app, early.fields)).status).toBe(200);
    app.clock.pass(2_000);
    expect((await postForm(app, late.fields)).body.error).toBe("invalid_grant");
  });

  test.each<[string, (app: TestApp) => Promise<Record<string, string>>]>([
    ["no verifier", async () => ({ code_verifier: "" })],
    ["a wrong verifier", async () => ({ code_verifier: pkce().verifier })],
    ["another address", async () => ({ redirect_uri: "http://127.0.0.1:3001/callback" })],
    ["no address", async () => ({ redirect_uri: "" })],
    [
      "another client",
      async (app) => ({ client_id: (await register(app, { client_name: "B" })).body.client_id }),
    ],
  ])("is used up by an attempt with %s", async (_what, change) => {
    const app = await startTestApp();
    const { fields } = await authorized(app);
    const wrong = { ...fields, ...(await change(app)) };
    for (const attempt of [wrong, fields]) {
      expect(await postForm(app, attempt)).toMatchObject({
        status: 400,
        body: { error: "invalid_grant", error_description: expect.any(String) },
      });
    }
  });

  test("that is its challenge again is no answer to it", async () => {
    const app = await startTestApp();
    const { fields, request } = await authorized(app);
    const attempt = { ...fields, code_verifier: request.code_challenge ?? "" };
    expect((await postForm(app, attempt)).body.error).toBe("invalid_grant");
  });

  test.each<[string, Record<string, string>, string]>([
    ["no grant type", { grant_type: "" }, "invalid_request"],
    ["another grant type", { grant_type: "password" }, "unsupported_grant_type"],
    ["no code", { code: "" }, "invalid_request"],
    ["an invented code", { code: "x" }, "invalid_grant"],
    ["an unknown client", { client_id: "x" }, "invalid_client"],
    ["no client", { client_id: "" }, "invalid_client"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
  ])("stays as it is when the request makes no sense: %s", async (_what, change, error) => {
    const app = await startTestApp();
    const { fields } = await authorized(app);
    expect(await postForm(app, { ...fields, ...change })).toMatchObject({
      status: 400,
      body: { error, error_description: expect.any(String), message: expect.any(String) },
    });
    expect((await postForm(app, fields)).status).toBe(200);
  });

  test("is not taken when a field is there twice", async () => {
    const app = await startTestApp();
    const { fields } = await authorized(app);
    const twice = `${new URLSearchParams(fields)}&client_id=other`;
    expect((await postForm(app, twice)).body.error).toBe("invalid_request");
  });

  test("is no refresh token, and the other way round", async () => {
    const app = await startTestApp();
    const { fields } = await authorized(app);
    const { code, ...rest } = fields;
    const as_refresh = { ...rest, grant_type: "refresh_token", refresh_token: code };
    expect((await postForm(app, as_refresh)).body.error).toBe("invalid_grant");
    const { refresh_token } = (await postForm(app, fields)).body;
    expect((await postForm(app, { ...fields, code: refresh_token })).body.error).toBe(
      "invalid_grant",
    );
  });
});

describe("a refresh token", () => {
  test("is replaced by each use", async () => {
    const app = await startTestApp();
    const first = await connected(app, { scope: "manage" });
    app.clock.pass(1_801_000);
    expect((await ping(app, first.access_token)).status).toBe(401);
    const second = (await first.refresh(first.refresh_token)).body;
    expect(second.scope).toBe("manage");
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect((await ping(app, second.access_token)).status).toBe(200);
    const third = (await first.refresh(second.refresh_token)).body;
    expect((await ping(app, third.access_token)).status).toBe(200);
  });

  test("that is used twice ends its whole family at once", async () => {
    const app = await startTestApp();
    const first = await connected(app);
    const second = (await first.refresh(first.refresh_token)).body;
    expect((await first.refresh(first.refresh_token)).body.error).toBe("invalid_grant");
    expect((await ping(app, first.access_token)).status).toBe(401);
    expect((await ping(app, second.access_token)).status).toBe(401);
    expect((await first.refresh(second.refresh_token)).body.error).toBe("invalid_grant");
  });

  test("that two use at the same time goes to one, and then to none", async () => {
    const app = await startTestApp();
    const { refresh, refresh_token } = await connected(app);
    const answers = await Promise.all([refresh(refresh_token), refresh(refresh_token)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    const winner = answers.find(({ status }) => status === 200)?.body;
    expect((await ping(app, winner.access_token)).status).toBe(401);
  });

  test("of one client is none of another's", async () => {
    const app = await startTestApp();
    const { refresh_token } = await connected(app);
    const other = (await register(app, { client_name: "Other" })).body.client_id;
    const stolen = await postForm(app, {
      grant_type: "refresh_token",
      client_id: other,
      refresh_token,
    });
    expect(stolen.body.error).toBe("invalid_grant");
  });

  test("works for thirty days, and is forgotten later with its consent", async () => {
    const app = await startTestApp();
    const { refresh, refresh_token } = await connected(app);
    app.clock.pass(30 * 86_400_000 + 1_000);
    expect((await refresh(refresh_token)).body.error).toBe("invalid_grant");
    app.clock.pass(2 * 86_400_000);
    await app.engine.stop(0);
    await app.engine.start();
    expect(await app.store.read.oauth_grants.list()).toEqual([]);
  });
});

describe("an access token", () => {
  test("opens /mcp/rpc and nothing else", async () => {
    const app = await startTestApp();
    const { access_token } = await connected(app, { scope: "manage" });
    const client = app.bearer(access_token);
    expect((await client.post("/mcp/rpc", message("tools/list"))).status).toBe(200);
    for (const path of ["/agents", "/sessions", "/auth/tokens", "/oauth/clients"]) {
      expect((await client.get(path)).status).toBe(401);
    }
    expect((await client.post("/schemas/x/chat", { message: "hi" })).status).toBe(401);
  });

  test("is for the address it was issued at", async () => {
    const app = await startTestApp();
    const { access_token } = await connected(app);
    const at = (url: string) =>
      app.request(url, {
        method: "POST",
        headers: { Authorization: `Bearer ${access_token}` },
        body: JSON.stringify(message("ping")),
      });
    expect((await at(MCP_URL)).status).toBe(200);
    expect((await at("http://localhost/api/v1/mcp/rpc")).status).toBe(401);
  });

  test("of the authority `provision` learns how to get more", async () => {
    const app = await startTestApp();
    const { access_token } = await connected(app);
    const answer = await app
      .bearer(access_token)
      .post("/mcp/rpc", toolCall("admin_delete_agent", { name: "x" }));
    expect(answer).toMatchObject({ status: 403, body: { error: { code: -32002 } } });
    expect(answer.headers.get("WWW-Authenticate")).toContain('error="insufficient_scope"');
    expect(answer.headers.get("WWW-Authenticate")).toContain('scope="manage"');
    expect(answer.headers.get("WWW-Authenticate")).toContain("resource_metadata=");
  });

  test("shows who called in the audit log", async () => {
    const app = await startTestApp();
    const { access_token } = await connected(app);
    await app.bearer(access_token).post("/mcp/rpc", toolCall("admin_list_agents"));
    const { body } = await (await app.as("admin")).get("/audit?action=mcp.tool.call");
    expect(body.data).toMatchObject([
      { actor_type: "oauth_client", actor_id: "oauth:Editor", resource: "admin_list_agents" },
    ]);
  });

  test("ends with its client", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    const { access_token, refresh, refresh_token } = await connected(app, { scope: "manage" });
    const { body } = await admin.get("/oauth/clients");
    expect(body).toEqual([
      {
        id: expect.any(String),
        name: "Editor",
        scope: "manage",
        consented_by: "local-admin",
        redirect_place: "127.0.0.1:3000",
        created_at: expect.any(String),
      },
    ]);
    expect((await admin.delete(`/oauth/clients/${body[0].id}`)).status).toBe(204);
    expect((await ping(app, access_token)).status).toBe(401);
    expect((await refresh(refresh_token)).body.error).toBe("invalid_grant");
    expect((await admin.get("/oauth/clients")).body).toEqual([]);
    expect((await admin.delete(`/oauth/clients/${body[0].id}`)).status).toBe(404);
  });

  test("is one that this server signed for this purpose", async () => {
    const app = await startTestApp();
    const { access_token, fields } = await connected(app);
    const claims = decodeJwt(access_token);
    const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519" });
    const foreign = await new SignJWT(claims)
      .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt" })
      .sign(privateKey);
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "at+jwt" })
      .sign(new Uint8Array(32));
    const unsigned = `${btoa('{"alg":"none","typ":"at+jwt"}')}.${btoa(JSON.stringify(claims))}.`;
    for (const token of [foreign, shared, unsigned, fields.client_id, `${access_token}x`]) {
      expect((await ping(app, token)).status).toBe(401);
    }
    // Nor is a session or a registration an access token, or an access token a client.
    const as_client = { ...fields, client_id: access_token };
    expect((await postForm(app, as_client)).body.error).toBe("invalid_client");
  });
});

describe("what is kept", () => {
  test("lets nobody in: codes and refresh tokens are hashes", async () => {
    const app = await startTestApp();
    const { refresh_token, fields } = await connected(app);
    expect(await app.store.read.oauth_grants.getSecret(refresh_token)).toBeUndefined();
    expect(await app.store.read.oauth_grants.getSecret(fields.code)).toBeUndefined();
    const { text } = await (await app.as("admin")).get("/audit?per_page=100");
    for (const secret of [refresh_token, fields.code, fields.code_verifier]) {
      expect(text).not.toContain(secret);
    }
    expect(text).toContain("oauth.approve");
  });
});
