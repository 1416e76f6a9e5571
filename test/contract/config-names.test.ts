import { expect, test } from "vitest";
import { type Caller, startTestApp } from "../support/app.ts";

const toolOf = (name: string) =>
  `tools: [{name: ${name}, description: x, type: http, url: "https://parcels.example"}]\n`;

/** Knowledge graphs by name, each with one entity type, whose tools are `list_…` and `get_…`. */
function graphsOf(types: Readonly<Record<string, string>>): string {
  const graphs = Object.entries(types).map(
    ([name, type]) => `  - bundle_name: ${name}
    schemas:
      - entity_type: ${type}
        schema: {type: object, x-id-field: code, properties: {code: {type: string}}}
`,
  );
  return `knowledge_graphs:${graphs.length > 0 ? "\n" : " []"}${graphs.join("")}\n`;
}

async function start(text: string) {
  const admin = await (await startTestApp()).as("admin");
  expect((await admin.post("/config/import", text)).body).toMatchObject({ status: "ok" });
  return admin;
}

const requestOf = (text: string) => ({ documents: [{ file: "a.yaml", text }], prune: true });

/** Applies what was planned, and makes sure that nothing is left to do. */
async function applyOnce(admin: Caller, text: string): Promise<void> {
  const plan = await admin.post("/config/plan", requestOf(text));
  expect(plan.body.message).toBeUndefined();
  const { digest } = plan.body;
  const { body } = await admin.post("/config/apply", { ...requestOf(text), digest });
  expect(body).toMatchObject({ status: "ok", errors: [] });
  expect((await admin.post("/config/plan", requestOf(text))).body.changes).toEqual([]);
}

test("a tool and a knowledge graph exchange names in one apply", async () => {
  const admin = await start(toolOf("list_parcel") + graphsOf({ depots: "depot" }));
  await applyOnce(admin, toolOf("list_depot") + graphsOf({ depots: "parcel" }));
});

test("a knowledge graph takes a name that another one gives up, wherever the two stand", async () => {
  const admin = await start(graphsOf({ one: "depot", two: "parcel" }));
  await applyOnce(admin, graphsOf({ one: "parcel", two: "van" }));
  await applyOnce(admin, graphsOf({ one: "boat", two: "parcel" }));
});

test("a knowledge graph takes a name of one that is removed", async () => {
  const admin = await start(graphsOf({ one: "depot", two: "parcel" }));
  await applyOnce(admin, graphsOf({ one: "parcel" }));
});

test("two knowledge graphs that exchange names are refused by the plan, which says what to do", async () => {
  const admin = await start(graphsOf({ one: "depot", two: "parcel" }));
  const exchanged = graphsOf({ one: "parcel", two: "depot" });
  const { status, body } = await admin.post("/config/plan", requestOf(exchanged));
  expect(status).toBe(400);
  expect(body.details[0]).toBe(
    'a.yaml:2:5: knowledge_graphs.one: the tool list_parcel is one of the knowledge graph "two", which gives it up only after this one, as it waits for it in turn; apply one of the two without that type first, then both as they are',
  );
  await applyOnce(admin, graphsOf({ one: "boat", two: "parcel" }));
  await applyOnce(admin, exchanged);
});

test.each([
  ["a declared tool", toolOf("get_depot"), { one: "depot" }, "rename its type"],
  ["another graph", "", { one: "depot", two: "depot" }, "leave the tool out of expose_tools"],
])("a plan refuses a knowledge graph with a name of %s", async (_what, tool, types, told) => {
  const admin = await start("tools: []");
  const { status, body } = await admin.post("/config/plan", requestOf(tool + graphsOf(types)));
  expect(status).toBe(400);
  expect(body.message).toContain(told);
});

test("two MCP servers exchange their addresses in one apply", async () => {
  const serversOf = (one: number, two: number) =>
    `mcp_servers:
  - {name: one, type: http, enabled: false, url: "http://127.0.0.1:${one}/mcp", env_vars: {KEY: k${one}}}
  - {name: two, type: http, enabled: false, url: "http://127.0.0.1:${two}/mcp", env_vars: {KEY: k${two}}}
`;
  const admin = await start(serversOf(1, 2));
  await applyOnce(admin, serversOf(2, 1));
});
