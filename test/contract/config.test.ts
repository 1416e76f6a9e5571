import { describe, expect, test } from "vitest";
import { validateDocument } from "#engine/config/validate.ts";
import { type Caller, startTestApp } from "../support/app.ts";

const DOCUMENT = `# A support desk.
models:
  - name: main
    type: demo
    model_name: demo
agents:
  front-desk:
    system: |
      Route each request
      to the right colleague.
    model: main
    tools: [show_structured_output]
  tracer:
    system_prompt: Find parcels.
    model_name: main
    lifecycle: spawn
    max_steps: 12
schemas:
  - name: parcel-help
    chat_enabled: true
    entry_agent: front-desk
    relations:
      - {from: front-desk, to: tracer}
`;

/** An admin of an empty installation. */
async function start() {
  const app = await startTestApp();
  const admin = await app.as("admin");
  return { app, admin };
}

const exported = async (admin: Caller): Promise<string> => (await admin.get("/config/export")).text;

const planOf = (admin: Caller, text: string, more: object = {}) =>
  admin.post("/config/plan", { documents: [{ file: "a.yaml", text }], ...more });

const applied = (admin: Caller, text: string, more: object = {}) =>
  admin.post("/config/apply", { documents: [{ file: "a.yaml", text }], ...more });

describe("import", () => {
  test("creates what the document names, in both layouts and under every alias", async () => {
    const { admin } = await start();

    const { status, body } = await admin.post("/config/import", DOCUMENT);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "ok",
      imported: true,
      agents_count: 2,
      agents_imported: 2,
      models_imported: 1,
      tools_imported: 0,
      created: 4,
      warnings: [],
    });
    expect((await admin.get("/agents/front-desk")).body).toMatchObject({
      system: "Route each request\nto the right colleague.\n",
      model: "main",
      tools: ["show_structured_output"],
      can_spawn: ["tracer"],
    });
    expect((await admin.get("/agents/tracer")).body).toMatchObject({
      lifecycle: "spawn",
      max_steps: 12,
    });
    expect((await admin.get("/schemas/parcel-help")).body).toMatchObject({
      entry_agent_name: "front-desk",
      chat_enabled: true,
    });
  });

  test("a second time changes nothing, and what others made stays", async () => {
    const { admin } = await start();
    await admin.post("/config/import", DOCUMENT);
    await admin.post("/agents", { name: "other", system: "Mine.", model: "main" });
    const before = await exported(admin);

    const { body } = await admin.post("/config/import", DOCUMENT);

    expect(body).toMatchObject({ created: 0, updated: 0, deleted: 0, unchanged: 4 });
    expect(await exported(admin)).toBe(before);
  });

  test("what an entry does not say goes back to its default; its key and what is bound to it stay", async () => {
    const { admin } = await start();
    const model = { name: "main", type: "openai_compatible", model_name: "m", api_key: "sk-1" };
    await admin.post("/models", {
      ...model,
      base_url: "http://localhost:1/v1",
      extra_body: { a: 1 },
    });
    await admin.post("/agents", { name: "helper", system: "Old.", model: "main", max_steps: 9 });
    await admin.post("/agents/helper/capabilities", { type: "memory" });

    await admin.post(
      "/config/import",
      `models: [{name: main, type: openai_compatible, model_name: m, base_url: "http://localhost:1/v1"}]
agents: [{name: helper, system: New.}]`,
    );

    const { body: changed } = await admin.get("/models");
    expect(changed[0]).toMatchObject({ has_api_key: true });
    expect(changed[0]).not.toHaveProperty("extra_body");
    expect((await admin.get("/agents/helper")).body).toMatchObject({
      system: "New.",
      max_steps: 50,
    });
    expect((await admin.get("/agents/helper/capabilities")).body).toHaveLength(1);
  });

  test("a service never fills in its own environment for a caller", async () => {
    const { admin } = await start();
    process.env.CONFIG_TEST_SECRET = "from the server";

    const { body } = await admin.post(
      "/config/import",
      `models: [{name: m, type: demo, model_name: demo}]
agents: [{name: helper, system: "It is \${CONFIG_TEST_SECRET}, not $\${CONFIG_TEST_SECRET}."}]`,
    );

    expect(body.warnings).toEqual([expect.stringContaining("CONFIG_TEST_SECRET")]);
    expect((await admin.get("/agents/helper")).body.system).toBe(
      "It is , not ${CONFIG_TEST_SECRET}.",
    );
  });

  test("fields and sections that nobody knows are read over, with a warning", async () => {
    const { admin } = await start();
    const { status, body } = await admin.post("/config/import", "agnets: []\nengine: {port: 1}\n");
    expect(status).toBe(200);
    expect(body.warnings).toEqual([
      "line 1, column 1: agnets: unknown section; there are models, mcp_servers, tools, agents, schemas, knowledge_graphs",
    ]);
  });

  test("is audited with every change, and takes the scope config", async () => {
    const { app, admin } = await start();
    const token = await app.as(["config"]);

    expect(await token.post("/config/import", DOCUMENT)).toMatchObject({ status: 200 });

    const { body } = await admin.get("/audit?per_page=100");
    const actions = body.data.map((entry: { action: string }) => entry.action);
    expect(actions.filter((action: string) => action === "agent.create")).toHaveLength(2);
    expect(body.data).toContainEqual(
      expect.objectContaining({ action: "schema.create", resource: "config schemas/parcel-help" }),
    );
    expect(body.data).toContainEqual(
      expect.objectContaining({ action: "api_call", resource: "POST /api/v1/config/import" }),
    );
    expect((await (await app.as(["agents:write"])).post("/config/import", DOCUMENT)).status).toBe(
      403,
    );
  });
});

describe("a document that can't be taken", () => {
  const nested = (levels: number) => `x-deep: ${"[".repeat(levels)}${"]".repeat(levels)}`;
  const bomb = [
    "x-a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
    ...Array.from("bcdefgh", (name, at) => {
      const before = "abcdefg"[at];
      return `x-${name}: &${name} [${Array(10).fill(`*${before}`).join(", ")}]`;
    }),
  ].join("\n");
  const model = "models: [{name: m, type: demo, model_name: demo}]\n";

  test.each([
    ["nothing at all", "", "the body is empty"],
    ["no map", "- a\n", "line 1, column 1: a document is a map of sections"],
    ["a tab", "agents:\n\t- name: a\n", "line 2, column 1"],
    [
      "a key twice",
      "agents:\n  a: {system: x}\n  a: {system: y}\n",
      'line 3, column 3: "a" is there twice',
    ],
    ["deep nesting", nested(100_000), "nested deeper than 100 levels"],
    ["deep nesting in blocks", `x-deep:\n${"- ".repeat(10_000)}a`, "nested deeper than 100 levels"],
    ["aliases that multiply", bomb, "its aliases may multiply it"],
    ["an alias of itself", "x-a: &a [*a]\n", "nested deeper than 100 levels"],
    ["an alias of nothing", "agents: *nobody\n", "line 1, column 9"],
    ["a tag that would run code", 'x-a: !!js/function "function () {}"\n', "line 1, column 6"],
    ["a map as a key", "x-a: {{a: 1}: 2}\n", "a key must be plain text"],
    [
      "two documents in one",
      "agents: []\n---\nagents: []\n",
      "line 2, column 1: a file holds one document",
    ],
    [
      "a wrong type",
      `${model}agents:\n  - name: a\n    max_steps: many\n`,
      "line 4, column 5: agents.a: max_steps: Invalid input: expected number, received string",
    ],
    [
      "a value that is not allowed",
      `${model}agents:\n  - name: a\n    lifecycle: sometimes\n`,
      'expected one of "persistent"|"spawn"',
    ],
    [
      "an entry without a name",
      "agents:\n  - system: x\n",
      "line 2, column 5: agents: name: is required",
    ],
    [
      "a name that is none",
      `${model}agents:\n  - name: Not_A_Name\n`,
      "line 3, column 5: agents.Not_A_Name: name: must be lower-case",
    ],
    [
      "a name twice",
      `${model}agents:\n  - name: a\n  - name: a\n`,
      "line 4, column 5: agents.a: is there already, at line 3, column 5",
    ],
    [
      "an unknown model",
      `${model}agents:\n  - name: a\n    model: n\n`,
      'line 4, column 5: agents.a: model_name: there is no chat model "n"; there is m',
    ],
    [
      "unknown agents",
      `schemas:\n  - name: s\n    entry_agent: a\n    relations:\n      - {from: a, to: b}\n`,
      'line 5, column 9: schemas.s: relations.to: there is no agent "b"',
    ],
    [
      "a circle of delegation",
      `${model}agents: {a: {}, b: {}}\nschemas:\n  - name: s\n    relations:\n      - {from: a, to: b}\n      - {from: b, to: a}\n`,
      "line 7, column 9: schemas.s: relations: b to a closes a cycle",
    ],
    [
      "two defaults",
      "models:\n  a: {type: demo, model_name: x, is_default: true}\n  b: {type: demo, model_name: x, is_default: true}\n",
      "line 3, column 34: models.b: is_default",
    ],
    [
      "a tool nobody may have",
      `${model}agents:\n  - name: a\n    tools: [admin_create_agent]\n`,
      "line 4, column 13: agents.a: tools: admin_create_agent cannot be granted",
    ],
    [
      "no model at all",
      "agents:\n  - name: a\n",
      "agents.a: model_name: is required, as there is no default chat model",
    ],
    [
      "a model without what its type needs",
      "models:\n  - {name: m, type: azure_openai, model_name: x}\n",
      "base_url: is required for type azure_openai",
    ],
    [
      "a file of the server",
      `${model}agents:\n  - name: a\n    system_file: /etc/passwd\n`,
      "did not come with the document",
    ],
  ])("%s: 400 that says where, and nothing is changed", async (_what, text, message) => {
    const { admin } = await start();
    const before = await exported(admin);

    const { status, body } = await admin.post("/config/import", text);

    expect(status).toBe(400);
    expect(body.message).toContain(message);
    expect(await exported(admin)).toBe(before);
  });

  test("a body over the limit is refused before it is read", async () => {
    const { admin } = await start();
    const { status, body } = await admin.post("/config/import", `# ${"x".repeat(1_048_576)}`);
    expect(status).toBe(400);
    expect(body.message).toBe("the body is larger than 1048576 bytes");
  });

  test("every wrong reference is told with its line", async () => {
    const { admin } = await start();
    const { body } = await admin.post(
      "/config/import",
      "schemas:\n  - name: s\n    relations:\n      - {from: a, to: b}\n      - {from: c, to: d}\n",
    );
    expect(body.details).toHaveLength(5);
    expect(body.details[1]).toMatch(/^line 4, column 9: schemas.s: relations.from/);
    expect(body.details[3]).toMatch(/^line 5, column 9: schemas.s: relations.from/);
  });
});

test("what YAML can say, a document may say: anchors, merges, a byte order mark, Norway", async () => {
  const { admin } = await start();
  const text = `\uFEFFx-common: &common {model: m, max_steps: 7, tools: &tools [current_time]}
models: {m: {type: demo, model_name: demo}}
agents:
  no: {<<: *common, system: no}
  yes: {<<: [*common], tools: *tools, max_steps: 8, description: ~}
`;
  expect(await admin.post("/config/import", text)).toMatchObject({ status: 200 });
  expect((await admin.get("/agents/no")).body).toMatchObject({ system: "no", max_steps: 7 });
  expect((await admin.get("/agents/yes")).body).toMatchObject({ max_steps: 8 });
});

describe("export", () => {
  test("imports elsewhere to the same bytes, and is as readable as a document by hand", async () => {
    const [{ admin }, other] = [await start(), await start()];
    await admin.post("/config/import", DOCUMENT);
    const first = await exported(admin);

    await other.admin.post("/config/import", first);

    expect(await exported(other.admin)).toBe(first);
    expect(first).toMatchInlineSnapshot(`
      "# troupe configuration, without secrets. \`troupe config plan FILE\` says what applying it would change.

      models:
        - name: main
          type: demo
          model_name: demo
          is_default: true

      agents:
        - name: front-desk
          model_name: main
          system_prompt: |
            Route each request
            to the right colleague.
          tools:
            - show_structured_output

        - name: tracer
          model_name: main
          system_prompt: Find parcels.
          lifecycle: spawn
          max_steps: 12

      schemas:
        - name: parcel-help
          chat_enabled: true
          entry_agent: front-desk
          relations:
            - from: front-desk
              to: tracer
      "
    `);
  });

  test("is a YAML attachment without secrets", async () => {
    const { admin } = await start();
    const key = { api_key: "sk-very-secret", base_url: "http://localhost:1/v1" };
    await admin.post("/models", { name: "m", type: "openai_compatible", model_name: "x", ...key });

    const { headers, text } = await admin.get("/config/export");

    expect(headers.get("Content-Type")).toBe("application/x-yaml; charset=utf-8");
    expect(headers.get("Content-Disposition")).toMatch(/^attachment; filename="troupe-.*\.yaml"$/);
    expect(text).not.toMatch(/api_key|sk-very-secret/);
  });
});

describe("MCP servers", () => {
  const SERVERS = `mcp_servers:
  local-notes:
    command: node
    args: [./notes-server.mjs]
    env: {NOTES_DIR: "\${NOTES_DIR}", NOTES_TOKEN: "\${NOTES_TOKEN}"}
  parcel-tracker:
    type: streamable-http
    url: https://mcp.internal.example/parcels
    forward_headers: [X-Customer-Id]
models: [{name: m, type: demo, model_name: demo}]
agents: [{name: tracer, mcp_servers: [parcel-tracker, local-notes]}]
`;

  test("come with their agents, and of their variables an export tells the names", async () => {
    const { admin } = await start();
    const variables = { NOTES_DIR: "/srv/notes", NOTES_TOKEN: "t-secret" };

    expect(await applied(admin, SERVERS, { variables })).toMatchObject({
      status: 200,
      body: { created: 4, mcp_servers_imported: 2 },
    });

    const { body } = await admin.get("/agents/tracer");
    expect(body.mcp_servers).toEqual(["parcel-tracker", "local-notes"]);
    const text = await exported(admin);
    expect(text).toContain("NOTES_TOKEN: ${NOTES_TOKEN}");
    expect(text).not.toMatch(/t-secret|srv/);
    expect((await planOf(admin, text)).body.changes).toEqual([]);
    expect((await planOf(admin, SERVERS, { variables })).body.changes).toEqual([]);
  });

  test("keep a value whose variable is not set, and take another one", async () => {
    const { admin } = await start();
    await applied(admin, SERVERS, { variables: { NOTES_TOKEN: "first" } });

    const { body } = await planOf(admin, SERVERS, { variables: { NOTES_TOKEN: "second" } });

    expect(body.changes).toMatchObject([
      { section: "mcp_servers", fields: [{ field: "env_vars.NOTES_TOKEN", is_secret: true }] },
    ]);
    expect(body.warnings).toEqual([expect.stringContaining("NOTES_DIR")]);
  });

  test("take what running a program takes, also in a document", async () => {
    const { app, admin } = await start();
    const token = await app.as(["config"]);
    const { status, body } = await token.post("/config/import", SERVERS);
    expect(status).toBe(403);
    expect(body.message).toMatch(/^mcp_servers\.local-notes: type: stdio runs a program/);
    expect((await admin.get("/mcp-servers")).body).toEqual([]);
  });

  test("that an agent names must be there", async () => {
    const { admin } = await start();
    const text = SERVERS.replace("[parcel-tracker, ", "[parcel-traker, ");
    const { body } = await planOf(admin, text);
    expect(body.message).toContain('did you mean "parcel-tracker"?');
  });
});

describe("knowledge graphs", () => {
  const GRAPHS = `models: [{name: m, type: demo, model_name: demo}]
knowledge_graphs:
  - bundle_name: depots
    schemas:
      - entity_type: depot
        expose_tools: [list, get]
        schema:
          type: object
          x-id-field: code
          properties:
            code: {type: string}
            country: {type: string, x-index: true}
    entities:
      - entity_type: depot
        items:
          - {code: D1, country: FI}
          - {code: D2, country: "no"}
`;
  const depots = async (admin: Caller) =>
    (await admin.get("/knowledge-graphs/depots/entities/depot")).body.items?.map(
      ({ entity_id }: { entity_id: string }) => entity_id,
    );

  test("are imported, exported to the same bytes, and unchanged the second time", async () => {
    const [{ admin }, other] = [await start(), await start()];
    const { body } = await admin.post("/config/import", GRAPHS);
    expect(body).toMatchObject({ status: "ok", knowledge_graphs_imported: 1, created: 2 });
    expect(await depots(admin)).toEqual(["D1", "D2"]);

    const first = await exported(admin);
    await other.admin.post("/config/import", first);

    expect(await exported(other.admin)).toBe(first);
    expect((await admin.post("/config/import", GRAPHS)).body).toMatchObject({
      updated: 0,
      unchanged: 2,
    });
  });

  test("are reconciled as a whole, and a plan tells by entity", async () => {
    const { admin } = await start();
    await admin.post("/config/import", GRAPHS);
    const text = GRAPHS.replace("{code: D1, country: FI}", "{code: D3, country: SE}");

    const { body } = await planOf(admin, text);
    expect(body.changes).toMatchObject([
      {
        section: "knowledge_graphs",
        fields: [
          { field: "entities.depot.D1", before: { code: "D1" } },
          { field: "entities.depot.D3", after: { code: "D3" } },
        ],
      },
    ]);
    await applied(admin, text, { digest: body.digest });
    expect(await depots(admin)).toEqual(["D2", "D3"]);
  });

  test.each([
    ["an entity that its schema refuses", "country: FI", "country: 5"],
    ["a schema without its id", "x-id-field: code", "x-id-feld: code"],
    ["a name that is none", "bundle_name: depots", "bundle_name: De_pots"],
    [
      "entities of no type",
      "      - entity_type: depot\n        items",
      "      - entity_type: shop\n        items",
    ],
  ])("%s: is told, and undoes nothing of the rest", async (_what, from, to) => {
    const { admin } = await start();
    const text = GRAPHS.replace(from, to);

    expect(await planOf(admin, text)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^a\.yaml:\d+:\d+: knowledge_graphs\./) },
    });

    const { status, body } = await admin.post("/config/import", text);

    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "partial",
      imported: true,
      created: 1,
      models_imported: 1,
    });
    expect(body.errors).toHaveLength(1);
    expect((await admin.get("/models")).body).toHaveLength(1);
    expect((await admin.get("/knowledge-graphs")).body).toEqual([]);
  });

  test("that hold something wrong are not taken for ones that the document leaves out", async () => {
    const { admin } = await start();
    await admin.post("/config/import", GRAPHS);
    const text = GRAPHS.replace("x-id-field: code", "x-id-field: [code]").replace(
      "items:",
      "itms:",
    );
    const { body } = await applied(admin, text, { prune: true });
    expect(body).toMatchObject({ status: "partial", deleted: 0 });
    expect(await depots(admin)).toEqual(["D1", "D2"]);
  });

  test("an error in the rest leaves them as they are", async () => {
    const { admin } = await start();
    const { status } = await admin.post(
      "/config/import",
      `${GRAPHS}agents: [{name: a, model: gone}]\n`,
    );
    expect(status).toBe(400);
    expect((await admin.get("/knowledge-graphs")).body).toEqual([]);
  });

  test("are looked at whole only when they are named: what goes with prune is told by its name", async () => {
    const { admin } = await start();
    await admin.post("/config/import", GRAPHS);
    const { body } = await planOf(admin, "knowledge_graphs: []", { prune: true });
    expect(body.changes).toMatchObject([{ action: "delete", section: "knowledge_graphs" }]);
    expect(body.changes[0].fields.map(({ field }: { field: string }) => field)).toEqual([
      "version",
    ]);
  });

  test("their tools and declared ones can't have the same name, whichever comes first", async () => {
    const tool =
      "tools: [{name: list_depot, description: x, type: http, url: 'https://example.com'}]";
    const { admin } = await start();
    await admin.post("/config/import", GRAPHS);
    const later = await planOf(admin, tool);
    expect(later).toMatchObject({ status: 400 });
    expect(later.body.message).toContain("this is what a tool of a knowledge graph is called");

    const { admin: other } = await start();
    expect((await applied(other, tool)).status).toBe(200);
    const { body } = await applied(other, GRAPHS);
    expect(body.errors[0]).toContain("has the name of a built-in or declared tool");
  });

  test("go with prune", async () => {
    const { admin } = await start();
    await admin.post("/config/import", GRAPHS);
    expect((await applied(admin, "knowledge_graphs: []", { prune: true })).body).toMatchObject({
      deleted: 1,
    });
    expect((await admin.get("/knowledge-graphs")).body).toEqual([]);
  });
});

describe("plan", () => {
  test("tells what would be made, changed field by field and removed, and changes nothing", async () => {
    const { admin } = await start();
    await admin.post("/config/import", DOCUMENT);
    const before = await exported(admin);
    const wanted = DOCUMENT.replace("max_steps: 12", "max_steps: 20")
      .replace("  front-desk:", "  reception:")
      .replaceAll("front-desk", "reception");

    const { status, body } = await planOf(admin, wanted, { prune: true });

    expect(status).toBe(200);
    expect(body.changes).toEqual([
      {
        action: "update",
        section: "agents",
        name: "tracer",
        fields: [{ field: "max_steps", before: 12, after: 20 }],
      },
      { action: "create", section: "agents", name: "reception", fields: expect.any(Array) },
      { action: "delete", section: "agents", name: "front-desk", fields: expect.any(Array) },
      {
        action: "update",
        section: "schemas",
        name: "parcel-help",
        fields: [
          { field: "entry_agent", before: "front-desk", after: "reception" },
          {
            field: "relations",
            before: [{ from: "front-desk", to: "tracer" }],
            after: [{ from: "reception", to: "tracer" }],
          },
        ],
      },
    ]);
    expect(body.unchanged).toBe(1);
    expect(await exported(admin)).toBe(before);
  });

  test("sections that a document does not have are nothing it leaves out", async () => {
    const { admin } = await start();
    await admin.post("/config/import", DOCUMENT);
    const { body } = await planOf(admin, "schemas: []", { prune: true });
    expect(body.changes).toMatchObject([{ action: "delete", section: "schemas" }]);
  });

  test.each([
    [
      "a schema with sessions",
      (admin: Caller) => admin.post("/sessions", { schema_id: "parcel-help" }),
      "schemas: []",
      /schemas\.parcel-help: schema "parcel-help" still has 1 sessions/,
    ],
    [
      "a model that a knowledge base uses",
      async (admin: Caller) => {
        const model = { name: "vectors", type: "openai_compatible", kind: "embedding" };
        const where = { model_name: "tiny", base_url: "http://localhost:1" };
        await admin.post("/models", { ...model, ...where });
        return admin.post("/knowledge-bases", { name: "manuals", embedding_model_id: "vectors" });
      },
      "models: [{name: main, type: demo, model_name: demo}]",
      /models\.vectors: model "vectors" is used by: manuals/,
    ],
  ])("does not promise the removal of %s", async (_what, use, text, message) => {
    const { admin } = await start();
    await admin.post("/config/import", DOCUMENT);
    expect((await use(admin)).status).toBe(201);

    const { status, body } = await planOf(admin, text, { prune: true });

    expect(status).toBe(400);
    expect(body.message).toMatch(message);
  });

  test("a secret is told to change, and never shown", async () => {
    const { admin } = await start();
    const text =
      "models: [{name: m, type: openai_compatible, model_name: x, base_url: 'http://localhost:1', api_key: '${KEY}'}]";
    await applied(admin, text, { variables: { KEY: "sk-first" } });

    expect((await planOf(admin, text, { variables: { KEY: "sk-first" } })).body.changes).toEqual(
      [],
    );
    expect((await planOf(admin, text)).body.changes).toEqual([]);
    const { text: answer, body } = await planOf(admin, text, { variables: { KEY: "sk-second" } });
    expect(body.changes[0].fields).toEqual([{ field: "api_key", is_secret: true }]);
    expect(answer).not.toContain("sk-");
  });

  test("a secret in clear is warned of", async () => {
    const { admin } = await start();
    const text = "models:\n  - {name: m, type: demo, model_name: x, api_key: sk-clear}\n";
    const { body } = await planOf(admin, text);
    expect(body.warnings).toEqual([
      expect.stringMatching(/^a\.yaml:2:42: models.m: api_key: a secret in clear/),
    ]);
  });

  test("a field that nobody knows is an error where it is said to be strict", async () => {
    const { admin } = await start();
    const text =
      "models:\n  - {name: m, type: demo, model_name: x}\nagents:\n  - name: a\n    sytem: Hello\n";
    const { status, body } = await planOf(admin, text, { strict: true });
    expect(status).toBe(400);
    expect(body.details[0]).toMatch(
      /^a\.yaml:5:5: agents\.a: sytem: unknown field; allowed here: name/,
    );
  });
});

describe("a document with more mistakes than anybody reads", () => {
  const MANY = 50_000;
  const many = (line: (at: number) => string) => Array.from({ length: MANY }, (_, at) => line(at));
  const fields = `models:\n  - {name: m, type: demo, model_name: x}\nagents:\n  - name: a\n${many((at) => `    x${at}: 1\n`).join("")}`;

  test.each([
    ["unknown fields", fields],
    ["entries that are none", `agents:\n${many(() => "  - 1\n").join("")}`],
    ["signs that begin nothing", many((at) => `a${at}: @\n`).join("")],
    ["keys that are there twice", `agents:\n  a: {}\n${many(() => "  a: {}\n").join("")}`],
  ])("is refused with the first of them and a count of the rest: %s", async (_what, text) => {
    const { admin } = await start();
    const { status, body } = await planOf(admin, text, { strict: true });
    expect(status).toBe(400);
    expect(body.details).toHaveLength(101);
    expect(body.details[0]).toMatch(/^a\.yaml:\d+:\d+: /);
    expect(body.details.at(-1)).toBe(`and ${MANY - 100} more`);
    expect(body.message).toBe(body.details.join("\n"));
  });

  test("warns of the first, too", async () => {
    const { admin } = await start();
    const { body } = await planOf(admin, fields);
    expect(body.warnings).toHaveLength(101);
    expect(body.warnings.at(-1)).toBe(`and ${MANY - 100} more`);
    const { warnings } = await validateDocument([{ text: fields }], {
      variables: {},
      is_strict: false,
    });
    expect(warnings).toHaveLength(101);
  });

  test("is answered, however many are in one text", async () => {
    const { admin } = await start();
    const names = Array.from({ length: 150_000 }, (_, at) => `\${V${at}}`).join(" ");
    const unset = await planOf(admin, `agents: [{name: a, system: "${names}"}]`);
    expect(unset.status).toBe(400);
  });

  test("is not repeated in the answer where a mistake is long", async () => {
    const { admin } = await start();
    const long = "x".repeat(100_000);
    const { text } = await planOf(admin, `agents: [{name: a, ${long}: 1}]`, { strict: true });
    expect(text.length).toBeLessThan(3_000);
  });
});

describe("apply", () => {
  test("does what the plan with the digest said", async () => {
    const { admin } = await start();
    const { digest } = (await planOf(admin, DOCUMENT)).body;

    expect(await applied(admin, DOCUMENT, { digest })).toMatchObject({
      status: 200,
      body: { created: 4, updated: 0, deleted: 0 },
    });
    expect((await planOf(admin, DOCUMENT)).body).toMatchObject({ changes: [], unchanged: 4 });
  });

  test.each([
    [
      "somebody changed what it was made on",
      (admin: Caller) => admin.patch("/agents/tracer", { max_steps: 3 }),
      DOCUMENT,
    ],
    [
      "somebody gave a model another key",
      (admin: Caller) => admin.patch("/models/main", { api_key: "sk-2" }),
      DOCUMENT,
    ],
    ["the document is another one", async () => undefined, DOCUMENT.replace("Find", "Trace")],
  ])("refuses, and changes nothing, when %s", async (_why, meanwhile, text) => {
    const { admin } = await start();
    await admin.post("/config/import", DOCUMENT);
    const { digest } = (await planOf(admin, DOCUMENT)).body;
    await meanwhile(admin);
    const before = await exported(admin);

    const { status, body } = await applied(admin, text, { digest });

    expect(status).toBe(409);
    expect(body.message).toContain("no longer what was planned");
    expect(await exported(admin)).toBe(before);
  });

  test("removes with prune what the document no longer names, in an order that works", async () => {
    const { admin } = await start();
    await admin.post("/config/import", DOCUMENT);

    const { body } = await applied(admin, "models: []\nagents: []\nschemas: []\n", { prune: true });

    expect(body).toMatchObject({ deleted: 4 });
    expect(await exported(admin)).toContain("{}");
  });

  test("is undone as a whole when one removal is refused", async () => {
    const { admin } = await start();
    await admin.post("/config/import", DOCUMENT);
    await admin.post("/sessions", { schema_id: "parcel-help" });
    const before = await exported(admin);

    const text = "agents: {new: {system: x}, front-desk: {}, tracer: {}}\nschemas: []\n";
    const { status, body } = await applied(admin, text, { prune: true });

    expect(status).toBe(409);
    expect(body.message).toMatch(/^schemas\.parcel-help: .* still has 1 sessions/);
    expect(await exported(admin)).toBe(before);
    // A plan promises nothing that would be refused.
    const plan = await planOf(admin, text, { prune: true });
    expect(plan).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/still has 1 sessions/) },
    });
  });

  test("a document may come as several files, which refer to each other", async () => {
    const { admin } = await start();
    const documents = [
      {
        file: "agents.yaml",
        text: "agents: [{name: a, system_file: a.md}]",
        files: { "a.md": "Hi.\n" },
      },
      { file: "models.yaml", text: "models: [{name: m, type: demo, model_name: demo}]" },
    ];
    expect(await admin.post("/config/apply", { documents })).toMatchObject({ status: 200 });
    expect((await admin.get("/agents/a")).body).toMatchObject({ system: "Hi.\n", model: "m" });

    const twice = { file: "more.yaml", text: "agents:\n  - name: a\n" };
    const { body } = await admin.post("/config/plan", { documents: [...documents, twice] });
    expect(body.message).toBe("more.yaml:2:5: agents.a: is there already, at agents.yaml:1:10");
  });
});

test("reload answers with both editions' fields", async () => {
  const { admin } = await start();
  await admin.post("/config/import", DOCUMENT);
  expect(await admin.post("/config/reload")).toMatchObject({
    status: 200,
    body: { status: "ok", reloaded: true, agents_loaded: 2, models_loaded: 1, agents_count: 2 },
  });
});

test("the schema of documents is for everybody", async () => {
  const { app } = await start();
  const { status, body } = await (await app.as("nobody")).get("/config/schema");
  expect(status).toBe(200);
  expect(Object.keys(body.properties)).toContain("knowledge_graphs");
});

test("an earlier layout is read, too: models in providers, and tools of an agent by kind", async () => {
  const { admin } = await start();
  const text = `models:
  providers:
    - {name: main, type: demo, model: demo}
agents:
  - name: desk
    system: Help.
    tools:
      builtin: [current_time]
      mcp_servers:
        tracker: {type: http, url: "https://mcp.example/parcels"}
      custom:
        - {name: find, type: http, endpoint: "GET https://shop.example/find"}
`;
  expect((await admin.post("/config/import", text)).body).toMatchObject({
    models_imported: 1,
    mcp_servers_imported: 1,
    tools_imported: 1,
    warnings: [],
  });
  expect((await admin.get("/agents/desk")).body).toMatchObject({
    tools: ["current_time", "find"],
    mcp_servers: ["tracker"],
  });
});
