import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Route } from "#server/http/route.ts";
import { routesOf } from "#server/routes/all.ts";
import type { Caller } from "../support/app.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { BITS, entryOf, GRANTS, letsEndUserIn, letsIn, maskOf } from "../support/guards.ts";
import { ask } from "../support/turns.ts";

const ROUTES = routesOf({ bootstrap_secret: undefined });
const GUARDED = ROUTES.filter((route) => entryOf(route) !== "public");
const OF_A_SESSION = GUARDED.filter(({ path }) => path.startsWith("/sessions/:id"));
const UNKNOWN = "44444444-4444-4444-8444-444444444444";

const named = (routes: readonly Route[]) =>
  routes.map((route) => [`${route.method} ${route.path}`, route] as const);

const pathOf = ({ path }: Route, id = UNKNOWN) =>
  path.replace(":id", id).replace(/:\w+/g, "an-example");

/** One app for all of them: a refused request leaves nothing behind, and the others name nothing. */
let app: ChatApp;
let callers: Map<string, Caller>;
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  app = await startChatApp([], {}, { audience: "troupe", atEnd: (work) => endings.push(work) });
  callers = new Map();
  for (const scope of Object.keys(GRANTS)) {
    const { body } = await app.admin.post("/auth/tokens", {
      name: `t.${scope.replace(":", ".")}`,
      scopes: [scope],
    });
    callers.set(scope, app.bearer(body.token));
  }
});

afterAll(async () => {
  for (const end of endings) await end();
});

function send(caller: Caller, route: Route, id?: string) {
  const method = route.method.toLowerCase() as "get" | "post" | "put" | "patch" | "delete";
  return caller[method](pathOf(route, id), route.method === "GET" ? undefined : {});
}

describe("every guarded route", () => {
  test.each(named(GUARDED))("%s asks a stranger for a token", async (_name, route) => {
    const answer = await send(await app.as("nobody"), route);
    expect(answer).toMatchObject({ status: 401, body: { error: "unauthorized" } });
    expect(answer.headers.get("WWW-Authenticate")).toBe('Bearer realm="troupe"');
  });

  test.each(named(GUARDED))("%s lets in exactly the scopes that it names", async (_name, route) => {
    const entry = entryOf(route);
    for (const [name, caller] of callers) {
      const { status, body } = await send(caller, route);
      if (letsIn(entry, GRANTS[name] ?? [])) {
        expect([name, [401, 403].includes(status) || status >= 500]).toEqual([name, false]);
        continue;
      }
      expect([name, status, body.error]).toEqual([name, 403, "forbidden"]);
      const missing = typeof entry === "string" ? "admin session" : entry.join(" or ");
      expect(body.message).toContain(missing);
    }
  });

  test.each(named(GUARDED))("%s lets in an admin session", async (_name, route) => {
    const { status } = await send(app.admin, route);
    expect([401, 403]).not.toContain(status);
    expect(status).toBeLessThan(500);
  });
});

describe("an end user", () => {
  const [open, closed] = [true, false].map((is_open) =>
    GUARDED.filter((route) => letsEndUserIn(entryOf(route)) === is_open),
  ) as [Route[], Route[]];

  test.each(named(closed))("may not call %s", async (_name, route) => {
    const user = await app.asUser("ann");
    expect(await send(user, route)).toMatchObject({ status: 403, body: { error: "forbidden" } });
  });

  test.each(named(open))("passes the guard of %s", async (_name, route) => {
    const { status } = await send(await app.asUser("ann"), route);
    expect([401, 403]).not.toContain(status);
  });

  test("is not helped by scopes in the token that are not `admin`", async () => {
    const user = app.bearer(await app.signJwt({ sub: "ann", scope: "agents:write api manage" }));
    expect((await user.get("/agents")).status).toBe(403);
    expect((await user.get("/sessions")).status).toBe(200);
  });
});

describe("a session of somebody else", () => {
  let session_id: string;

  beforeAll(async () => {
    app.model.script({ text: "Hello, Ann." });
    session_id = (await ask(await app.asUser("ann"), { message: "hi" })).session_id;
  });

  test.each(named(OF_A_SESSION))("is not found by %s", async (_name, route) => {
    const stranger = await send(await app.asUser("bob"), route, session_id);
    if (!letsEndUserIn(entryOf(route))) {
      expect(stranger.status).toBe(403);
      return;
    }
    const unknown = await send(await app.asUser("bob"), route);
    // A body that is checked first is refused alike, whosever the session is.
    expect(stranger.status).toBe(unknown.status);
    expect([400, 404]).toContain(stranger.status);
    expect(stranger.text).not.toContain("Ann");
    expect((await app.admin.get(`/sessions/${session_id}`)).status).toBe(200);
  });

  test("is not found by any request in full", async () => {
    const bob = await app.asUser("bob");
    const answers = [
      await bob.put(`/sessions/${session_id}`, { title: "mine" }),
      await bob.post(`/sessions/${session_id}/respond`, { call_id: "c", answers: ["approve"] }),
      await bob.post("/schemas/support/chat", { session_id, message: "hi" }),
    ];
    for (const { status } of answers) expect(status).toBe(404);
    expect((await bob.get("/sessions?user_sub=ann")).body).toMatchObject({ total: 0, data: [] });
  });

  test("has no form that can be answered, and forms that do not exist look the same", async () => {
    const call = {
      id: "f",
      tool: "show_structured_output",
      input: { output_type: "info", title: "Hm" },
    };
    await app.admin.patch("/agents/helper", { tools: ["show_structured_output"] });
    app.model.script({ calls: [call] });
    const asked = await ask(await app.asUser("ann"), { message: "ask me" });
    const { interrupt_id } = asked.one("interrupt_request") as { interrupt_id: string };
    const bob = await app.asUser("bob");
    for (const id of [interrupt_id, UNKNOWN]) {
      const answer = await bob.post("/schemas/support/chat", {
        session_id: asked.session_id,
        resume_interrupt: { interrupt_id: id, payload: {} },
      });
      expect(answer.status).toBe(404);
    }
    expect((await app.store.read.interrupts.get(interrupt_id))?.status).toBe("pending");
  });

  test("is open to tokens and administrators, and to whom it belongs", async () => {
    const reader = callers.get("sessions:read");
    for (const caller of [reader, app.admin, await app.asUser("ann")]) {
      expect((await caller?.get(`/sessions/${session_id}`))?.status).toBe(200);
    }
  });
});

describe("a credential that is no good", () => {
  const now = () => Math.floor(app.clock.now().getTime() / 1000);
  const claims = () => ({ sub: "x", scope: "admin", iat: now(), exp: now() + 600 });

  const bad: readonly (readonly [string, () => Promise<string>])[] = [
    ["an expired JWT", () => app.signJwt({ ...claims(), exp: now() - 60 })],
    ["a JWT without an end", () => app.signJwt({ ...claims(), exp: undefined })],
    ["a JWT for somebody else", () => app.signJwt({ ...claims(), aud: "another" })],
    ["a JWT for several others", () => app.signJwt({ ...claims(), aud: ["a", "b"] })],
    ["a JWT with a `typ` claim", () => app.signJwt({ ...claims(), typ: "consent" })],
    ["a JWT of an unknown scope", () => app.signJwt({ ...claims(), scope: "admin root" })],
    ["a JWT of no algorithm", async () => new UnsecuredJWT(claims()).encode()],
    [
      "a JWT with a shared secret",
      () => new SignJWT(claims()).setProtectedHeader({ alg: "HS256" }).sign(new Uint8Array(32)),
    ],
    [
      "a JWT of a foreign key",
      async () => {
        const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519" });
        return new SignJWT(claims()).setProtectedHeader({ alg: "EdDSA" }).sign(privateKey);
      },
    ],
    [
      "a revoked token",
      async () => {
        const { body } = await app.admin.post("/auth/tokens", { name: "gone", scopes: ["admin"] });
        expect((await app.bearer(body.token).get("/agents")).status).toBe(200);
        expect((await app.admin.delete(`/auth/tokens/${body.id}`)).status).toBe(204);
        return body.token;
      },
    ],
  ];

  test.each(bad)("gets 401 everywhere: %s", async (_what, make) => {
    const caller = app.bearer(await make());
    for (const route of GUARDED) {
      const answer = await send(caller, route);
      expect([route.path, answer.status, answer.body.error]).toEqual([
        route.path,
        401,
        "unauthorized",
      ]);
      expect(answer.headers.get("WWW-Authenticate")).toContain('error="invalid_token"');
    }
  });

  test("is not a JWT for this audience, alone or among others, nor one for no audience", async () => {
    for (const aud of ["troupe", ["other", "troupe"], undefined]) {
      const caller = app.bearer(await app.signJwt({ ...claims(), aud }));
      expect((await caller.get("/agents")).status).toBe(200);
    }
  });

  test("is not a local session where an audience is expected", async () => {
    const { body } = await (await app.as("nobody")).post("/auth/local-session");
    expect((await app.bearer(body.access_token).get("/auth/tokens")).status).toBe(200);
  });

  test("is a JWT for an audience where none is expected", async () => {
    const other = await startChatApp();
    const caller = other.bearer(await other.signJwt({ ...claims(), aud: "troupe" }));
    expect((await caller.get("/agents")).status).toBe(401);
  });
});

describe("a token's scopes", () => {
  const create = async (fields: object) =>
    app.admin.post("/auth/tokens", { name: `s${Math.random()}`, ...fields });

  test.each(Object.keys(GRANTS))("%s are the same by name and by mask", async (name) => {
    const scopes = GRANTS[name] ?? [];
    const expected = {
      scopes_mask: maskOf(scopes),
      scopes: Object.keys(BITS).filter((scope) => scopes.includes(scope)),
    };
    expect((await create({ scopes: [name] })).body).toMatchObject(expected);
    expect((await create({ scopes_mask: maskOf(scopes) })).body).toMatchObject(expected);
  });

  test("are those of the mask and of the names together", async () => {
    const { body } = await create({ scopes: ["chat", "models"], scopes_mask: 6 });
    expect(body).toMatchObject({ scopes_mask: 71 });
  });

  test("leave out names and bits that mean nothing", async () => {
    const { status, body } = await create({
      scopes: ["chat", "root", "*", ""],
      scopes_mask: 2 ** 30,
    });
    expect([status, body.scopes, body.scopes_mask]).toEqual([201, ["chat"], 1]);
  });

  test.each([
    { scopes_mask: 0 },
    { scopes: [], scopes_mask: 0 },
    { scopes_mask: 2 ** 30 },
    { scopes: ["root"] },
    { scopes: ["constructor", "__proto__", "toString"] },
    { scopes_mask: -1 },
    { scopes_mask: 1.5 },
    { scopes_mask: "1" },
    { scopes: "chat" },
  ])("must be at least one: %j", async (fields) => {
    expect(await create(fields)).toMatchObject({ status: 400, body: { error: "bad_request" } });
  });
});
