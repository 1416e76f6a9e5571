import { describe, expect, test } from "vitest";
import { Name } from "#engine/kernel/fields.ts";
import { startTestApp } from "../support/app.ts";

const program = { name: "folder", type: "stdio", command: "files-server", args: ["/data"] };
const remote = { name: "shop", type: "http", url: "https://shop.example/mcp" };

/** As variables are shown. */
const masked = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, `\${${name}}`]));

const start = async (overrides = {}) => {
  const app = await startTestApp(overrides);
  return { ...app, admin: await app.as("admin") };
};

describe("an MCP server", () => {
  test("is created, listed, read by name or id, changed and deleted", async () => {
    const { admin } = await start();
    const { status, body } = await admin.post("/mcp-servers", program);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...program, auth_type: "none", enabled: true, agents: [] });
    expect((await admin.get("/mcp-servers")).body).toMatchObject([{ name: "folder" }]);
    expect((await admin.get("/mcp-servers/folder")).body.id).toBe(body.id);
    expect((await admin.get(`/mcp-servers/${body.id}`)).body.name).toBe("folder");
    expect(await admin.patch("/mcp-servers/folder", { args: [] })).toMatchObject({ status: 200 });
    expect((await admin.get("/mcp-servers/folder")).body).not.toHaveProperty("args");
    expect((await admin.delete("/mcp-servers/folder")).status).toBe(204);
    expect((await admin.get("/mcp-servers")).body).toEqual([]);
    expect((await admin.delete("/mcp-servers/folder")).status).toBe(404);
  });

  test("shows of its variables only the names, and a name sent back keeps its value", async () => {
    const { admin, store } = await start();
    const sealed = async (name: string) =>
      (await store.read.mcp_servers.getByName("folder"))?.sealed_env_vars[name];
    const { text, body } = await admin.post("/mcp-servers", {
      ...program,
      env_vars: { TOKEN: "top-secret", PLAIN: "also-secret" },
    });
    expect(body.env_vars).toEqual(masked("TOKEN", "PLAIN"));
    expect(text).not.toContain("secret");
    expect(JSON.stringify(await store.read.mcp_servers.list())).not.toContain("secret");
    const before = await sealed("TOKEN");
    await admin.put("/mcp-servers/folder", { ...program, env_vars: masked("TOKEN") });
    expect(await sealed("TOKEN")).toBe(before);
    expect(await sealed("PLAIN")).toBeUndefined();
    await admin.patch("/mcp-servers/folder", { env_vars: { TOKEN: "new", ...masked("OTHER") } });
    expect(await sealed("TOKEN")).not.toBe(before);
    expect((await admin.get("/mcp-servers/folder")).body.env_vars).toEqual(masked("TOKEN"));
  });

  test("loses what a replacement leaves out, but not whether it is enabled", async () => {
    const { admin } = await start();
    await admin.post("/mcp-servers", {
      ...remote,
      forward_headers: ["X-Customer"],
      auth_type: "api_key",
      auth_key_env: "KEY",
      env_vars: { KEY: "k" },
      catalog_refresh_interval_seconds: 60,
      enabled: false,
    });
    const { body } = await admin.put("/mcp-servers/shop", { type: "sse", url: remote.url });
    expect(body).toMatchObject({ type: "sse", auth_type: "none", enabled: false });
    for (const field of ["forward_headers", "auth_key_env", "env_vars"])
      expect(body).not.toHaveProperty(field);
    expect(body).not.toHaveProperty("catalog_refresh_interval_seconds");
  });

  test("keeps only what its type has a use for", async () => {
    const { admin } = await start();
    await admin.post("/mcp-servers", program);
    const { body } = await admin.patch("/mcp-servers/folder", {
      type: "streamable-http",
      url: remote.url,
    });
    expect(body).toMatchObject({ type: "streamable-http", url: remote.url });
    expect(body).not.toHaveProperty("command");
    expect(body).not.toHaveProperty("args");
  });

  test("can be renamed to a free name, and its agents follow", async () => {
    const { admin } = await start();
    await admin.post("/models", { name: "m", type: "ollama", model_name: "m" });
    await admin.post("/mcp-servers", program);
    await admin.post("/mcp-servers", remote);
    await admin.post("/agents", { name: "helper", system: "s", mcp_servers: ["shop", "folder"] });
    expect((await admin.patch("/mcp-servers/folder", { name: "shop" })).status).toBe(409);
    expect((await admin.patch("/mcp-servers/folder", { name: "Not A Name" })).status).toBe(400);
    expect((await admin.patch("/mcp-servers/folder", { name: "cabinet" })).status).toBe(200);
    expect((await admin.get("/agents/helper")).body.mcp_servers).toEqual(["shop", "cabinet"]);
    expect((await admin.get("/mcp-servers/cabinet")).body.agents).toEqual(["helper"]);
  });

  test("takes its links along when it is deleted, and an agent's list is replaced or kept", async () => {
    const { admin } = await start();
    await admin.post("/models", { name: "m", type: "ollama", model_name: "m" });
    await admin.post("/mcp-servers", program);
    await admin.post("/mcp-servers", remote);
    const unknown = { name: "other", system: "s", mcp_servers: ["nowhere"] };
    expect(await admin.post("/agents", unknown)).toMatchObject({ status: 400 });
    expect((await admin.get("/agents/other")).status).toBe(404);
    await admin.post("/agents", { name: "helper", system: "s", mcp_servers: ["folder", "shop"] });
    await admin.patch("/agents/helper", { max_steps: 3 });
    expect((await admin.get("/agents/helper")).body.mcp_servers).toEqual(["folder", "shop"]);
    await admin.delete("/mcp-servers/folder");
    expect((await admin.get("/agents/helper")).body.mcp_servers).toEqual(["shop"]);
    await admin.patch("/agents/helper", { mcp_servers: [] });
    expect((await admin.get("/agents/helper")).body).not.toHaveProperty("mcp_servers");
  });

  test.each([
    ["no type", { name: "a" }, 400, "type"],
    ["an unknown type", { name: "a", type: "carrier-pigeon" }, 400, "type"],
    ["a program without a command", { name: "a", type: "stdio" }, 400, "command"],
    ["no address", { name: "a", type: "sse" }, 400, "url"],
    ["a file for an address", { ...remote, url: "file:///etc/passwd" }, 400, "url"],
    ["a password in the address", { ...remote, url: "https://a:b@shop.example" }, 400, "url"],
    ["a reserved name", { ...remote, name: "chat" }, 400, "name"],
    ["a name that is no label", { ...remote, name: "My Shop" }, 400, "name"],
    ["an unknown way to authenticate", { ...remote, auth_type: "magic" }, 400, "auth_type"],
    ["too short an interval", { ...remote, catalog_refresh_interval_seconds: 29 }, 400, "catalog"],
    ["too long an interval", { ...remote, catalog_refresh_interval_seconds: 86_401 }, 400, "cat"],
    ["the caller's token as a header", { ...remote, forward_headers: ["Authorization"] }, 400, "f"],
    ["a header of the connection", { ...remote, forward_headers: ["TE"] }, 400, "forward_headers"],
    ["no header at all", { ...remote, forward_headers: ["a b\r\nc"] }, 400, "forward_headers"],
    ["a preloaded library", { ...program, env_vars: { LD_PRELOAD: "/x.so" } }, 400, "env_vars"],
    ["another program's options", { ...program, env_vars: { NODE_OPTIONS: "-r x" } }, 400, "env"],
    ["a strange variable", { ...program, env_vars: { "A=B": "x" } }, 400, "env_vars"],
    ["NUL in an argument", { ...program, args: ["a\0b"] }, 400, "args"],
  ])("is refused: %s", async (_why, body, status, field) => {
    const { admin, store } = await start();
    const answer = await admin.post("/mcp-servers", body);
    expect(answer).toMatchObject({ status, body: { error: "bad_request" } });
    expect(answer.body.message).toContain(field);
    expect(await store.read.mcp_servers.list()).toEqual([]);
  });

  test("of a name that is taken is refused", async () => {
    const { admin } = await start();
    await admin.post("/mcp-servers", remote);
    expect((await admin.post("/mcp-servers", { ...program, name: "shop" })).status).toBe(409);
  });

  test.each(["none", "api_key", "forward_headers", "oauth2", "service_account"])(
    "may authenticate by %s",
    async (auth_type) => {
      const { admin } = await start();
      const { status, body } = await admin.post("/mcp-servers", { ...remote, auth_type });
      expect([status, body.auth_type]).toEqual([201, auth_type]);
    },
  );

  test("leaves a record of every change", async () => {
    const { admin } = await start();
    await admin.post("/mcp-servers", remote);
    await admin.patch("/mcp-servers/shop", { enabled: false });
    await admin.delete("/mcp-servers/shop");
    const all = (await admin.get("/audit")).body.data.map(
      (entry: { action: string }) => entry.action,
    );
    expect(all).toEqual(expect.arrayContaining(["mcp.create", "mcp.update", "mcp.delete"]));
  });
});

describe("a server that is a program on this machine", () => {
  test("takes an administrator, whatever else a token may", async () => {
    const { as } = await start();
    for (const scopes of [["mcp:write"], ["provision"], ["manage"]]) {
      const token = await as(scopes);
      const refused = await token.post("/mcp-servers", program);
      expect(refused).toMatchObject({ status: 403, body: { error: "forbidden" } });
    }
    expect((await (await as(["admin"])).post("/mcp-servers", program)).status).toBe(201);
  });

  test("can be switched and renamed by a token, but not changed", async () => {
    const { as, admin } = await start();
    await admin.post("/mcp-servers", { ...program, env_vars: { A: "1" } });
    const token = await as(["mcp:write"]);
    expect((await token.patch("/mcp-servers/folder", { enabled: false })).status).toBe(200);
    expect((await token.patch("/mcp-servers/folder", { env_vars: masked("A") })).status).toBe(200);
    for (const change of [{ command: "sh" }, { args: ["x"] }, { env_vars: { A: "2" } }]) {
      expect((await token.patch("/mcp-servers/folder", change)).status).toBe(403);
    }
    await admin.post("/mcp-servers", remote);
    const turned = { type: "stdio", command: "sh" };
    expect((await token.patch("/mcp-servers/shop", turned)).status).toBe(403);
  });

  test("is open to tokens, or to nobody, where the process is set so", async () => {
    const open = await start({ stdio_policy: "tokens" });
    expect((await (await open.as(["mcp:write"])).post("/mcp-servers", program)).status).toBe(201);
    const closed = await start({ stdio_policy: "off" });
    expect((await closed.admin.post("/mcp-servers", program)).status).toBe(400);
  });
});

describe("a private address", () => {
  const local = { ...remote, url: "http://127.0.0.1:9000/mcp" };

  test("is for administrators, and a token with provision alone learns so", async () => {
    const { as, admin } = await start();
    const provision = await as(["provision"]);
    const refused = await provision.post("/mcp-servers", local);
    expect(refused).toMatchObject({ status: 403 });
    expect(refused.body.message).toContain("administrator");
    expect((await provision.post("/mcp-servers", remote)).status).toBe(201);
    const url = "http://169.254.169.254/latest";
    expect((await provision.patch("/mcp-servers/shop", { url })).status).toBe(403);
    for (const [index, scopes] of [["mcp:write"], ["manage"], ["admin"]].entries()) {
      const token = await as(scopes);
      expect((await token.post("/mcp-servers", { ...local, name: `s${index}` })).status).toBe(201);
    }
    expect((await admin.patch("/mcp-servers/shop", { url: local.url })).status).toBe(200);
    // What an administrator has set stays when others change the rest.
    expect((await provision.patch("/mcp-servers/shop", { enabled: false })).status).toBe(200);
  });
});

describe("a server's secrets", () => {
  test("do not go to another address with somebody who could not read them", async () => {
    const { as, admin, store } = await start();
    const secret = { auth_type: "api_key", auth_key_env: "KEY", env_vars: { KEY: "top-secret" } };
    await admin.post("/mcp-servers", { ...remote, ...secret });
    const elsewhere = "https://elsewhere.example/mcp";
    for (const scopes of [["mcp:write"], ["provision"], ["manage"]]) {
      const token = await as(scopes);
      expect((await token.patch("/mcp-servers/shop", { url: elsewhere })).status).toBe(403);
      const whole = { type: "sse", url: elsewhere, env_vars: masked("KEY") };
      expect((await token.put("/mcp-servers/shop", whole)).status).toBe(403);
    }
    const token = await as(["mcp:write"]);
    // One host may serve many customers, each under a path.
    const nearby = { url: "https://shop.example/other" };
    expect((await token.patch("/mcp-servers/shop", nearby)).status).toBe(403);
    expect((await token.patch("/mcp-servers/shop", { url: remote.url })).status).toBe(200);
    const anew = { url: elsewhere, env_vars: { KEY: "another" } };
    expect((await token.patch("/mcp-servers/shop", anew)).status).toBe(200);
    expect((await admin.patch("/mcp-servers/shop", { url: remote.url })).status).toBe(200);
    expect((await store.read.mcp_servers.getByName("shop"))?.url).toBe(remote.url);
  });
});

describe("the catalogue of servers", () => {
  test("has a dozen well-known ones, by category and by words", async () => {
    const { as } = await start();
    const anyone = await as(["chat"]);
    const { body } = await anyone.get("/mcp/catalog");
    expect(body.version).toBe("1.0");
    expect(body.servers.length).toBeGreaterThanOrEqual(12);
    for (const { name } of body.servers) expect(Name.safeParse(name).success).toBe(true);
    const names = async (query: string) =>
      (await anyone.get(`/mcp/catalog?${query}`)).body.servers.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names("category=payments")).toEqual(["stripe"]);
    expect(await names("category=nothing")).toEqual([]);
    expect(await names("q=ISSUE+tracker&category=payments")).toEqual(["linear"]);
  });
});
