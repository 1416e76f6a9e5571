import { describe, expect, test } from "vitest";
import type { TestApp } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { addColleague, ask } from "../support/turns.ts";

type Warning = [about: object, message: string];

/** With all that the log warns of from then on. */
async function start(...args: Parameters<typeof startChatApp>) {
  const warnings: Warning[] = [];
  const warn = (about: object, message: string) => void warnings.push([about, message]);
  const log = { info: () => {}, error: () => {}, warn };
  const app = await startChatApp(args[0], args[1], { ...args[2], log });
  // What the start itself warned of is something else.
  warnings.length = 0;
  return { ...app, warnings };
}

/** A server that nobody connects to, whose tools have these names, as last listed. */
async function withServer({ store, as }: TestApp, tools: readonly string[] | undefined) {
  const admin = await as("admin");
  const server = { name: "parcels", type: "http", url: "http://127.0.0.1:9/mcp", enabled: false };
  const { id } = (await admin.post("/mcp-servers", server)).body;
  const tool_digests = tools && Object.fromEntries(tools.map((name) => [name, "digest"]));
  await store.write((tx) => tx.mcp_servers.update(id, { tool_digests }));
  await admin.patch("/agents/helper", { mcp_servers: ["parcels"] });
}

const planOf = async ({ admin }: Awaited<ReturnType<typeof start>>, text: string) =>
  (await admin.post("/config/plan", { documents: [{ file: "a.yaml", text }] })).body;

describe("a tool that an agent's lists name and that nobody offers", () => {
  test("is taken, and told in the answer to whoever writes or reads the agent", async () => {
    const { admin } = await start();
    const lists = { tools: ["current_time", "serch"], confirm_before: ["lunch"] };
    const made = await admin.post("/agents", { name: "clerk", system: "File.", ...lists });
    expect(made).toMatchObject({ status: 201, body: { ...lists } });
    const unknown_tools = ["serch", "lunch"];
    expect(made.body.unknown_tools).toEqual(unknown_tools);
    expect((await admin.get("/agents/clerk")).body.unknown_tools).toEqual(unknown_tools);
    const mended = await admin.patch("/agents/clerk", { tools: [], confirm_before: [] });
    expect(mended.body).not.toHaveProperty("unknown_tools");
  });

  test("is told in the log as a turn begins, once, and the turn goes on", async () => {
    const { admin, warnings } = await start([{ text: "Hi." }], { tools: ["serch"] });
    const { one } = await ask(admin, { message: "hi" });
    expect(one("message").content).toBe("Hi.");
    expect(warnings).toEqual([
      [{ agent: "helper", tool: "serch" }, "no tool has a name that stands in the agent's tools"],
    ]);
  });

  test("is told of a sub-agent as it begins", async () => {
    const spawn = { id: "s1", tool: "spawn_clerk", input: { description: "the task" } };
    const app = await start([{ calls: [spawn] }, { text: "Filed." }, { text: "Done." }]);
    await addColleague(app, "clerk", { confirm_before: ["serch"] });
    await ask(app.admin, { message: "go" });
    expect(app.warnings.map(([about]) => about)).toEqual([{ agent: "clerk", tool: "serch" }]);
  });

  test("is told when a document is planned and applied, at its place, with what is close", async () => {
    const app = await start();
    const text = `agents:
  - name: clerk
    tools: [current_tine]
    confirm_before: [lunch]
`;
    const warnings = [
      'a.yaml:3:13: agents.clerk: tools: there is no tool "current_tine"; did you mean "current_time"?',
      expect.stringMatching(/^a.yaml:4:22: agents.clerk: confirm_before: there is no tool "lunch"/),
    ];
    expect((await planOf(app, text)).warnings).toEqual(warnings);
    expect((await app.admin.post("/config/import", text)).body.warnings).toHaveLength(2);
  });
});

describe("a tool that somebody offers", () => {
  test.each([
    ["a built-in one", "current_time"],
    ["one that a capability gives", "knowledge_search"],
    ["one that spawns any agent", "spawn_agent"],
    ["one that spawns an agent", "spawn_helper"],
  ])("is nothing to tell of: %s", async (_what, name) => {
    const { admin, warnings } = await start([{ text: "Hi." }], { tools: [name] });
    expect((await admin.get("/agents/helper")).body).not.toHaveProperty("unknown_tools");
    await admin.patch("/agents/helper", { confirm_before: [name.toUpperCase()] });
    await ask(admin, { message: "hi" });
    expect(warnings).toEqual([]);
  });

  test("is nothing to tell of when the same document declares it", async () => {
    const app = await start();
    const text = `tools:
  look_up: {type: http, url: "https://parcels.example/"}
knowledge_graphs:
  - bundle_name: depots
    schemas:
      - entity_type: depot
        schema: {type: object, x-id-field: code, properties: {code: {type: string}}}
agents:
  - name: clerk
    tools: [look_up]
    confirm_before: [look_up, list_depot, spawn_typist]
  - name: typist
`;
    const plan = await planOf(app, text);
    expect(plan.warnings).toEqual([]);
    expect((await app.admin.post("/config/import", text)).body.warnings).toEqual([]);
    expect((await app.admin.get("/agents/clerk")).body).not.toHaveProperty("unknown_tools");
  });

  test("is one again that an apply takes away from an agent that lists it", async () => {
    const app = await start();
    const tool = `tools: {look_up: {type: http, url: "https://parcels.example/"}}\n`;
    await app.admin.post("/config/import", tool);
    const text = "tools: {}\nagents: [{name: clerk, tools: [look_up]}, {name: helper}]\n";
    const documents = [{ file: "a.yaml", text }];
    const { body } = await app.admin.post("/config/plan", { documents, prune: true });
    expect(body.warnings).toEqual([expect.stringContaining('there is no tool "look_up"')]);
  });

  test.each(["track", "parcels__track", "parcels/track"])(
    "is nothing to tell of when it is an MCP server's: %s",
    async (name) => {
      const app = await start();
      await withServer(app, ["track"]);
      const changed = await app.admin.patch("/agents/helper", { confirm_before: [name, "trace"] });
      expect(changed.body.unknown_tools).toEqual(["trace"]);
    },
  );

  test("may be one of a server whose tools were never listed", async () => {
    const app = await start();
    await withServer(app, undefined);
    const { body } = await app.admin.patch("/agents/helper", { tools: ["track"] });
    expect(body).not.toHaveProperty("unknown_tools");
    const text = "agents: [{name: helper, tools: [track], mcp_servers: [parcels]}]";
    expect((await planOf(app, text)).warnings).toEqual([]);
  });
});
