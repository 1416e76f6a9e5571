import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Caller } from "../support/app.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { startMcpHttpServer } from "../support/mcp-http-server.ts";
import {
  addServer,
  publishedServer,
  startHttpServer,
  whenSettled,
} from "../support/mcp-servers.ts";
import { ask, frameOf, read } from "../support/turns.ts";

const look = (id = "c1") => ({ calls: [{ id, tool: "look", input: {} }] });

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Where nothing listens. */
const nowhere = async () => `http://127.0.0.1:${await freePort()}/mcp`;

/** An app whose agent has the server `shop`, and answers after one call of its tool. */
async function withShop(fields: object, body: object = {}) {
  const app = await startChatApp([look(), { text: "Done." }, look("c2"), { text: "Again." }]);
  const server = await addServer(app.admin, { name: "shop", type: "http", ...fields });
  await app.admin.patch("/agents/helper", { mcp_servers: ["shop"] });
  const send = (more: object = {}) => ask(app.admin, { message: "Look.", ...body, ...more });
  return { app, server, send };
}

const breakers = async ({ admin }: ChatApp) =>
  (await admin.get("/resilience/circuit-breakers")).body.breakers;

describe("a published server over HTTP", () => {
  test.each(["http", "streamable-http", "sse"])("is used by type %s", async (type) => {
    const script = publishedServer("everything");
    const mode = type === "sse" ? "sse" : "streamableHttp";
    const { url } = await startHttpServer(script, [mode], await freePort());
    const app = await startChatApp([
      { calls: [{ id: "c1", tool: "echo", input: { message: "over the wire" } }] },
      { text: "Done." },
    ]);
    const address = type === "sse" ? url.replace("/mcp", "/sse") : url;
    const server = await addServer(app.admin, { name: "all", type, url: address });
    expect(server.status).toMatchObject({ status: "connected" });
    await app.admin.patch("/agents/helper", { mcp_servers: ["all"] });
    const answer = await ask(app.admin, { message: "Go." });
    expect(answer.one("tool_result").content).toContain("over the wire");
  });

  test("that was killed and started again is used in a new session", async () => {
    const script = publishedServer("everything");
    const port = await freePort();
    const first = await startHttpServer(script, ["streamableHttp"], port);
    const echo = (id: string) => ({ calls: [{ id, tool: "echo", input: { message: id } }] });
    const steps = [echo("c1"), { text: "1" }, echo("c2"), { text: "2" }, echo("c3"), { text: "3" }];
    const app = await startChatApp(steps);
    await addServer(app.admin, { name: "all", type: "http", url: first.url });
    await app.admin.patch("/agents/helper", { mcp_servers: ["all"] });
    expect((await ask(app.admin, { message: "1" })).one("tool_result").content).toContain("c1");
    await first.kill();
    const failed = await ask(app.admin, { message: "2" });
    expect(failed.one("tool_result")).toMatchObject({ has_error: true });
    expect(failed.one("message").content).toBe("2");
    await startHttpServer(script, ["streamableHttp"], port);
    expect((await app.admin.post("/mcp-servers/all/refresh")).status).toBe(200);
    expect((await ask(app.admin, { message: "3" })).one("tool_result").content).toContain("c3");
  });
});

describe("a server over HTTP", () => {
  test("whose session is gone gets a new one, and the call is made once", async () => {
    const shop = await startMcpHttpServer();
    const { send } = await withShop({ url: shop.url });
    await send();
    shop.forgetSessions();
    const answer = await send();
    expect(answer.one("tool_result")).toMatchObject({ content: "seen", has_error: false });
    const sessions = shop.seen
      .filter(({ method }) => method === "tools/call")
      .map(({ headers }) => headers["mcp-session-id"]);
    expect(sessions).toEqual(["session-1", "session-1", "session-2"]);
  });

  test("gets the headers that it names, from the body and the request, and never others", async () => {
    const shop = await startMcpHttpServer();
    const other = await startMcpHttpServer();
    const forward_headers = ["X-Customer", "X-Order", "X-Broken"];
    const { app, send } = await withShop({ url: shop.url, forward_headers });
    await addServer(app.admin, { name: "other", type: "http", url: other.url });
    const headers = {
      "x-customer": "ann",
      "X-BROKEN": "a\r\nHost: evil",
      "X-Secret": "s",
      Authorization: "Bearer stolen",
      Cookie: "c",
      Host: "evil",
    };
    await send({ headers });
    const response = await app.admin.open(
      "/schemas/support/chat",
      { message: "Again.", headers: { "X-Order": "from the body" } },
      { "X-Customer": "from the request", "X-Order": "from the request", "X-Secret": "s" },
    );
    await response.text();
    const calls = shop.seen.filter(({ method }) => method === "tools/call");
    expect(calls[0]?.headers).toMatchObject({ "x-customer": "ann" });
    expect(calls[1]?.headers).toMatchObject({
      "x-customer": "from the request",
      "x-order": "from the body",
    });
    for (const { headers: sent, method } of [...shop.seen, ...other.seen]) {
      for (const name of ["authorization", "cookie", "x-secret", "x-broken"])
        expect(sent).not.toHaveProperty(name);
      expect(sent.host).toMatch(/^127/);
      if (method !== "tools/call") expect(sent).not.toHaveProperty("x-customer");
    }
  });

  test.each([
    ["api_key", { auth_key_env: "KEY" }],
    ["oauth2", { auth_token_env: "KEY", auth_client_id: "us" }],
    ["service_account", { auth_token_env: "KEY" }],
  ])("is given its own secret by %s", async (auth_type, fields) => {
    const shop = await startMcpHttpServer("the-secret");
    const auth = { auth_type, ...fields, env_vars: { KEY: "the-secret" } };
    const { server } = await withShop({ url: shop.url, ...auth });
    expect(server.status.status).toBe("connected");
    expect(shop.seen[0]?.headers.authorization).toBe("Bearer the-secret");
  });

  test("may be given a variable of the process that was meant for servers, and no other", async () => {
    const shop = await startMcpHttpServer("from-outside");
    const readVariable = () => "from-outside";
    const app = await startChatApp([], {}, { readVariable });
    const server = { type: "http", url: shop.url, auth_type: "api_key" };
    const allowed = { ...server, name: "one", auth_key_env: "MCP_SHOP_KEY" };
    expect((await addServer(app.admin, allowed)).status.status).toBe("connected");
    const refused = { ...server, name: "two", auth_key_env: "AWS_SECRET_ACCESS_KEY" };
    const { status } = await addServer(app.admin, refused);
    expect(status).toMatchObject({ status: "error" });
    expect(status.status_message).toContain("AWS_SECRET_ACCESS_KEY");
  });

  test("that refuses its caller is said to, and the turn goes on without it", async () => {
    const shop = await startMcpHttpServer("the-secret");
    const { app, server, send } = await withShop({ url: shop.url });
    expect(server.status).toMatchObject({ status: "error", tools_count: 0 });
    expect(server.status.status_message).toMatch(/401|authori/i);
    const answer = await send();
    expect(answer.one("message").content).toBe("Done.");
    expect(JSON.stringify(app.model.calls[0]?.prompt)).toContain("The tools of shop cannot be");
    expect(app.model.calls[0]?.tools).toBeUndefined();
  });

  test("that cuts its answer off ends the call, not the turn", async () => {
    const shop = await startMcpHttpServer();
    const { send } = await withShop({ url: shop.url });
    shop.misbehave("cut");
    const answer = await send();
    expect(answer.one("tool_result")).toMatchObject({ has_error: true });
    expect(answer.one("tool_result").content).toContain("outcome is unknown");
    expect(answer.one("message").content).toBe("Done.");
  });

  test("that fails again and again is left alone until its breaker is reset", async () => {
    const shop = await startMcpHttpServer();
    const calls = ["c1", "c2", "c3", "c4"].map((id) => look(id));
    const app = await startChatApp([...calls, { text: "Done." }, look("c5"), { text: "Well." }]);
    await addServer(app.admin, { name: "shop", type: "http", url: shop.url });
    await app.admin.patch("/agents/helper", { mcp_servers: ["shop"] });
    expect(await breakers(app)).toEqual([]);
    shop.misbehave("fail");
    const { frames } = await ask(app.admin, { message: "Look." });
    const results = frames.filter(({ event }) => event === "tool_result").map(({ data }) => data);
    expect(results[3]?.content).toContain("failed repeatedly");
    expect(shop.seen.filter(({ method }) => method === "tools/call")).toHaveLength(3);
    expect(await breakers(app)).toMatchObject([{ name: "shop", state: "open", failure_count: 3 }]);
    shop.misbehave(undefined);
    expect((await app.admin.post("/resilience/circuit-breakers/shop/reset")).status).toBe(200);
    expect((await ask(app.admin, { message: "Look." })).one("tool_result").content).toBe("seen");
    await app.admin.delete("/mcp-servers/shop");
    expect(await breakers(app)).toEqual([]);
  });

  test.each([
    ["deleted", (admin: Caller) => admin.delete("/mcp-servers/shop")],
    ["disabled", (admin: Caller) => admin.patch("/mcp-servers/shop", { enabled: false })],
  ])("that is %s in the middle of a turn is not called any more", async (_how, takeAway) => {
    const shop = await startMcpHttpServer();
    const { app } = await withShop({ url: shop.url });
    const released = Promise.withResolvers<void>();
    shop.holdUntil(released.promise);
    const response = await app.admin.open("/schemas/support/chat", { message: "Look." });
    const calls = () => shop.seen.filter(({ method }) => method === "tools/call").length;
    await vi.waitFor(() => expect(calls()).toBe(1));
    app.model.script(look("c3"), { text: "Over." });
    await takeAway(app.admin);
    released.resolve();
    await response.text();
    const again = await ask(app.admin, {
      message: "Look.",
      session_id: response.headers.get("X-Session-Id"),
    });
    expect(again.one("tool_result").has_error).toBe(true);
    expect(calls()).toBe(1);
    expect(shop.seen.filter(({ method }) => method === "initialize")).toHaveLength(1);
  });

  test("is not called when it has moved since its tool was approved", async () => {
    const [shop, other] = [await startMcpHttpServer(), await startMcpHttpServer()];
    const { app } = await withShop({ url: shop.url });
    await app.admin.patch("/agents/helper", { confirm_before: ["look"] });
    const response = await app.admin.open("/schemas/support/chat", { message: "Look." });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    await frameOf(app, session_id, "confirmation");
    await app.admin.patch("/mcp-servers/shop", { url: other.url });
    expect((await whenSettled(app.admin, "shop")).status.status).toBe("connected");
    await app.admin.post(`/sessions/${session_id}/respond`, {
      call_id: "c1",
      answers: ["approve"],
    });
    const { content, has_error } = (await read(response)).one("tool_result");
    expect([content, has_error]).toEqual([expect.stringContaining("approved anew"), true]);
    expect(other.seen.map(({ method }) => method)).not.toContain("tools/call");
  });

  test("at a private address is not reached for a token with provision, whatever its name says", async () => {
    const shop = await startMcpHttpServer();
    const resolveHost = async () => [{ address: "127.0.0.1", family: 4 }];
    const app = await startChatApp([], {}, { resolveHost });
    const provision = await app.as(["provision"]);
    const url = shop.url.replace("127.0.0.1", "shop.example.com");
    await provision.post("/mcp-servers", { name: "shop", type: "http", url });
    const { status } = await whenSettled(app.admin, "shop");
    expect(status.status).toBe("error");
    expect(status.status_message).toContain("public");
    expect(shop.seen).toEqual([]);
  });

  test.each(["http://169.254.169.254/latest", "http://metadata.example.com/latest"])(
    "at a link-local address is not reached for an administrator either: %s",
    async (url) => {
      const resolveHost = async () => [{ address: "169.254.169.254", family: 4 }];
      const app = await startChatApp([], {}, { resolveHost });
      const { status } = await addServer(app.admin, { name: "shop", type: "http", url });
      expect(status.status).toBe("error");
      expect(status.status_message).toContain("public one");
    },
  );

  test.each([
    ["http", 400, "text/plain"],
    ["http", 500, "text/plain"],
    ["http", 200, "application/json"],
    ["sse", 500, "text/plain"],
    ["sse", 200, "text/event-stream"],
  ])(
    "of type %s that is none, and answers %i, is told of without what it said",
    async (type, code, content) => {
      const start = "event: endpoint\ndata: /post\n\n";
      const server = createHttpServer(({ method }, response) => {
        const is_stream = method === "GET" && content === "text/event-stream";
        // A stream that stays open says where to post to; what is posted there fails.
        if (is_stream) response.writeHead(200, { "Content-Type": content }).write(start);
        else
          response.writeHead(type === "sse" ? 500 : code, { "Content-Type": content }).end("page");
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close().closeAllConnections());
      const { port } = server.address() as { port: number };
      const app = await startChatApp([]);
      const url = `http://127.0.0.1:${port}/mcp`;
      const { status } = await addServer(app.admin, { name: "shop", type, url });
      expect(status.status).toBe("error");
      expect(status.status_message).not.toContain("page");
      expect(status.status_message).toMatch(
        code === 200 && type === "http" ? /JSON/ : /\b[45]00\b/,
      );
    },
  );
});

describe("the list of a server's tools", () => {
  test("is refreshed on demand, and of one that cannot be reached it is not found", async () => {
    const shop = await startMcpHttpServer();
    const { app } = await withShop({ url: shop.url });
    const { status, body } = await app.admin.post("/mcp-servers/shop/refresh");
    expect([status, body.name, body.tools_count]).toEqual([200, "shop", 1]);
    expect(shop.seen.filter(({ method }) => method === "tools/list")).toHaveLength(2);
    expect(shop.seen.filter(({ method }) => method === "initialize")).toHaveLength(1);
    await addServer(app.admin, { name: "none", type: "http", url: await nowhere() });
    const refused = await app.admin.post("/mcp-servers/none/refresh");
    expect(refused).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect((await app.admin.post("/mcp-servers/unknown/refresh")).status).toBe(404);
  });

  test("is tried without touching the connection there is", async () => {
    const shop = await startMcpHttpServer();
    const { app } = await withShop({ url: shop.url });
    const { body } = await app.admin.post("/mcp-servers/shop/test");
    expect(body).toMatchObject({ connectivity: "ok", error: null, tools: [{ name: "look" }] });
    await addServer(app.admin, { name: "none", type: "http", url: await nowhere() });
    const failed = await app.admin.post("/mcp-servers/none/test");
    expect(failed).toMatchObject({ status: 200, body: { connectivity: "error", tools: [] } });
    expect(failed.body.error).toContain("ECONNREFUSED");
  });
});
