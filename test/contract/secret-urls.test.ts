import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startTestApp } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { ask } from "../support/turns.ts";

const SECRET = "s3cret-in-an-address";

/** A service that says what it was called with, and that it is not found. */
async function startService() {
  const asked: string[] = [];
  const service = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(404).end(`nothing at ${request.url}`);
  });
  service.listen(0, "127.0.0.1");
  await once(service, "listening");
  onTestFinished(() => void service.close());
  const { port } = service.address() as AddressInfo;
  return { asked, origin: `http://127.0.0.1:${port}` };
}

/** An MCP server that tells with what it was called, as it was written and as it is meant. */
async function startRefusingServer(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { url = "" } = request;
    const { id } = (await json(request)) as { id: unknown };
    const message = `no access with ${url} or ${decodeURIComponent(url)}`;
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_000, message } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Everything that the engine has logged so far, as text. */
function recorded() {
  const lines: string[] = [];
  const write = (...args: unknown[]) =>
    void lines.push(args.map((each) => JSON.stringify(each)).join(" "));
  return { log: { info: write, warn: write, error: write }, text: () => lines.join("\n") };
}

describe("an MCP server's address with a secret in its query", () => {
  async function withServer() {
    const service = await startService();
    const { log, text } = recorded();
    const app = await startTestApp({ log });
    const admin = await app.as("admin");
    const url = `${service.origin}/mcp?api_key=${SECRET}&team=a`;
    const made = await admin.post("/mcp-servers", { name: "parcels", type: "http", url });
    expect(made.status).toBe(201);
    const shown = `${service.origin}/mcp?api_key=\${URL_API_KEY}&team=a`;
    return { ...service, app, admin, made, shown, url, logged: text };
  }

  test("is stored without it, and called with it", async () => {
    const { app, asked, made, shown } = await withServer();
    expect(made.body).toMatchObject({ url: shown, env_vars: { URL_API_KEY: "${URL_API_KEY}" } });
    const [stored] = await app.store.read.mcp_servers.list();
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    await vi.waitFor(() => expect(asked).toContain(`/mcp?api_key=${SECRET}&team=a`));
  });

  test("is shown to nobody, whatever goes wrong", async () => {
    const { admin, asked, logged } = await withServer();
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0));
    const answers = [
      await admin.post("/mcp-servers/parcels/refresh"),
      await admin.get("/mcp-servers"),
      await admin.get("/audit"),
      await admin.get("/config/export"),
    ];
    for (const { text } of answers) expect(text).not.toContain(SECRET);
    expect(logged()).not.toContain(SECRET);
  });

  test.each([
    ["abc%2Fdef%3Dghi", "abc/def=ghi"],
    ['quo"ted secret', "quo%22ted%20secret"],
  ])("is hidden as it is spelt elsewhere, too: %s", async (secret, elsewhere) => {
    const origin = await startRefusingServer();
    const admin = await (await startTestApp()).as("admin");
    const env_vars = { PARCELS: secret };
    const url = `${origin}/mcp?q=\${PARCELS}`;
    await admin.post("/mcp-servers", { name: "parcels", type: "http", url, env_vars });
    const { text } = await admin.post("/mcp-servers/parcels/refresh");
    expect(text).toContain("no access with /mcp?q=*** or /mcp?q=***");
    expect(text).not.toContain(secret);
    expect(text).not.toContain(elsewhere);
  });

  test("is kept by who writes back what was shown, and changed by who sends another", async () => {
    const { admin, asked, shown, origin } = await withServer();
    const { name, type, url, env_vars } = (await admin.get("/mcp-servers")).body[0];
    expect((await admin.put(`/mcp-servers/${name}`, { type, url, env_vars })).status).toBe(200);
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(1));
    expect(new Set(asked)).toEqual(new Set([`/mcp?api_key=${SECRET}&team=a`]));
    await admin.patch(`/mcp-servers/${name}`, { url: `${origin}/mcp?api_key=other&team=a` });
    await vi.waitFor(() => expect(asked).toContain("/mcp?api_key=other&team=a"));
    expect((await admin.get("/mcp-servers")).body[0].url).toBe(shown);
  });

  test("is refused where its variable has no value", async () => {
    const { admin, shown } = await withServer();
    const server = { name: "more", type: "http", url: shown };
    const refused = await admin.post("/mcp-servers", server);
    expect(refused.status).toBe(400);
    expect(refused.body.message).toBe("url: names ${URL_API_KEY}, which is not in env_vars");
    const given = { ...server, env_vars: { URL_API_KEY: "x" } };
    expect((await admin.post("/mcp-servers", given)).status).toBe(201);
  });

  test.each([
    "http://${H}/mcp",
    "http://a${H}.example/?x=1",
    "http://a.example/${H}",
    "http:\\\\${H}?x",
  ])("may name variables in its query only, not in %s", async (url) => {
    const admin = await (await startTestApp()).as("admin");
    const server = { name: "more", type: "http", url, env_vars: { H: "elsewhere" } };
    const { status, body } = await admin.post("/mcp-servers", server);
    expect(status).toBe(400);
    expect(body.message).toBe("url: a variable may stand in its query only");
  });

  test("stays out of an export, which changes nothing where it is applied again", async () => {
    const { admin, shown } = await withServer();
    const text = (await admin.get("/config/export")).text;
    const plan = await admin.post("/config/plan", { documents: [{ text }] });
    expect(plan.body).toMatchObject({
      changes: [],
      warnings: [expect.stringContaining("URL_API")],
    });
    expect((await admin.post("/config/import", text)).status).toBe(200);
    expect((await admin.get("/mcp-servers")).body[0].url).toBe(shown);
  });

  test("is warned of in a document, unless it is a variable, whose value is hidden as well", async () => {
    const { admin, origin, shown } = await withServer();
    const documentOf = (key: string, name = "parcels") => {
      const url = `${origin}/mcp?api_key=${key}&team=a`;
      const text = `mcp_servers:\n  - {name: ${name}, type: http, url: "${url}"}\n`;
      return [{ file: "a.yaml", text }];
    };
    const planOf = async (documents: object, variables = {}) =>
      (await admin.post("/config/plan", { documents, variables })).body;
    const clear = await planOf(documentOf("another-secret"));
    expect(clear.warnings).toEqual([
      expect.stringMatching(/^a\.yaml:2:\d+: mcp_servers\.parcels: url: a secret in clear in its/),
    ]);
    const changed = [{ field: "env_vars.URL_API_KEY", is_secret: true }];
    expect(clear.changes[0].fields).toEqual(changed);
    expect(JSON.stringify(clear)).not.toContain("another-secret");
    expect((await planOf(documentOf("${KEY}"), { KEY: SECRET })).changes).toEqual([]);
    // One that is not set here stays as it is.
    expect((await planOf(documentOf("${KEY}"))).changes).toEqual([]);
    const variables = { KEY: "another-secret" };
    const applied = { documents: documentOf("${KEY}", "second"), variables };
    expect((await admin.post("/config/apply", applied)).body.warnings).toEqual([]);
    expect((await admin.get("/mcp-servers")).body[1].url).toBe(shown);
  });
});

describe("an HTTP tool's address with a secret in its query", () => {
  const call = { id: "c1", tool: "find", input: { q: "tea" } };

  test("is warned of, stored without it, and called with it", async () => {
    const { asked, origin } = await startService();
    const { log, text: logged } = recorded();
    const app = await startChatApp([{ calls: [call] }, { text: "Done." }], {}, { log });
    const url = `${origin}/find?api_key=${SECRET}&q={{q}}`;
    const document = `tools:\n  find: {type: http, url: "${url}"}\nagents:\n  helper: {tools: [find]}\n`;
    const { body } = await app.admin.post("/config/import", document);
    expect(body.warnings).toEqual([expect.stringContaining("a secret in clear in its query")]);
    const stored = await app.store.read.http_tools.list();
    expect(JSON.stringify(stored)).not.toContain(SECRET);
    const { text } = await app.admin.get("/config/export");
    expect(text).not.toContain(SECRET);
    expect(text).toContain("/find?api_key=${FIND_URL_API_KEY}&q={{q}}");
    const again = await app.admin.post("/config/plan", { documents: [{ text }] });
    expect(again.body.changes).toEqual([]);
    await ask(app.admin, { message: "go" });
    expect(asked).toEqual([`/find?api_key=${SECRET}&q=tea`]);
    expect(logged()).not.toContain(SECRET);
  });
});

describe("a model's address with a secret in its query", () => {
  test("is warned of", async () => {
    const admin = await (await startTestApp()).as("admin");
    const base_url = `http://127.0.0.1:9/v1?key=${SECRET}`;
    const text = `models: [{name: m, type: openai_compatible, model_name: x, base_url: "${base_url}"}]`;
    const { body } = await admin.post("/config/plan", { documents: [{ text }] });
    expect(body.warnings).toEqual([
      expect.stringContaining("base_url: a secret in clear in its query"),
    ]);
  });
});
