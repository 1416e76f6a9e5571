import { describe, expect, test } from "vitest";
import type { ChatModelCall } from "#engine/providers/provider.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import {
  DEPOT,
  DEPOTS,
  GRAPH,
  importBundle,
  LOGISTICS,
  PARCEL,
  PARCELS,
} from "../support/graphs.ts";
import { ask } from "../support/turns.ts";

const WITH_IDS = { ...PARCEL, expose_tools: ["list", "get", "list_ids"] };

/** The agent `helper`, which may use the bundle `logistics`. */
async function started(bundle: object = {}): Promise<ChatApp> {
  const app = await startChatApp();
  await importBundle(app.admin, { ...LOGISTICS, schemas: [DEPOT, WITH_IDS], ...bundle });
  await app.admin.post("/agents/helper/capabilities", {
    type: "knowledge_graphs",
    config: { bundles: ["logistics", "nowhere"] },
  });
  return app;
}

/** Has the agent call a tool; returns the frame that tells what came of it. */
async function called(app: ChatApp, tool: string, input: unknown) {
  app.model.script({ calls: [{ id: crypto.randomUUID(), tool, input }] }, { text: "Done." });
  const { content, has_error } = (await ask(app.admin, { message: "go" })).one("tool_result");
  return { content: content as string, has_error };
}

const answerOf = async (app: ChatApp, tool: string, input: unknown) =>
  JSON.parse((await called(app, tool, input)).content);

/** The text of the last tool result that a model was given. */
function lastResult({ prompt }: ChatModelCall): string {
  const message = prompt.findLast(({ role }) => role === "tool");
  return JSON.stringify(message?.content);
}

describe("an agent with a knowledge graph", () => {
  test("has the tools that its types expose, described for a model", async () => {
    const app = await started();
    app.model.script({ text: "Hi." });
    await ask(app.admin, { message: "hi" });
    const tools = new Map(app.model.calls[0]?.tools?.map((tool) => [tool.name, tool]));
    expect([...tools.keys()].sort()).toEqual([
      "get_depot",
      "get_parcel",
      "list_depot",
      "list_parcel",
      "list_parcel_ids",
    ]);
    const list = tools.get("list_depot");
    if (list?.type !== "function") throw new Error("list_depot is no function");
    expect(list.inputSchema).toMatchObject({
      type: "object",
      additionalProperties: false,
      properties: {
        filters: {
          properties: {
            country: {
              description: "two letters",
              anyOf: [{ type: "string" }, { type: "object" }],
            },
            size: { anyOf: [{ enum: ["small", "large", "huge"] }, {}] },
            docks: {
              anyOf: [
                { type: "integer" },
                { properties: { in: { items: { type: "integer" } }, gte: { type: "integer" } } },
              ],
            },
          },
        },
        sort: { items: { properties: { field: { enum: expect.arrayContaining(["docks"]) } } } },
        limit: { maximum: 500, default: 50 },
      },
    });
    const parcel = tools.get("get_parcel");
    expect(parcel).toMatchObject({
      description: expect.stringContaining("depot (string; the id of a depot: see get_depot)"),
    });
  });

  test("answers a question that needs two types", async () => {
    const app = await started();
    const call = (tool: string, input: object) => ({ calls: [{ id: tool, tool, input }] });
    app.model.script(
      call("list_parcel", { filters: { weight: { gte: 10 } } }),
      (asked) => {
        const depot = /\\"depot\\":\\"(\w+)\\"/.exec(lastResult(asked))?.[1];
        return call("get_depot", { ids: [depot] });
      },
      (asked) => {
        const country = /\\"country\\":\\"(\w+)\\"/.exec(lastResult(asked))?.[1];
        return { text: `The heavy parcel lies in ${country}.` };
      },
    );
    const answer = await ask(app.admin, { message: "In which country is the heavy parcel?" });
    expect(answer.one("message").content).toBe("The heavy parcel lies in SE.");
  });

  test.each([
    [{}, { total: 4, limit: 50, offset: 0 }, ["D1", "D2", "D3", "D4"]],
    [{ filters: { country: "FI" } }, { total: 2 }, ["D1", "D2"]],
    [{ filters: { country: ["SE", "NO"] } }, { total: 2 }, ["D3", "D4"]],
    [{ filters: { docks: "4" } }, { total: 1 }, ["D1"]],
    [{ filters: { docks: { in: [2, 9] } } }, { total: 2 }, ["D2", "D3"]],
    [{ filters: { docks: { gt: 2, lte: 9 } } }, { total: 2 }, ["D1", "D3"]],
    [{ filters: '{"is_open": true}' }, { total: 2 }, ["D1", "D3"]],
    [{ filters: null, sort: null }, { total: 4 }, ["D1", "D2", "D3", "D4"]],
    [
      { sort: [{ field: "docks", order: "desc" }], limit: 1, offset: 1 },
      { limit: 1, offset: 1 },
      ["D1"],
    ],
    [{ sort: [{ field: "built" }] }, {}, ["D1", "D2", "D3", "D4"]],
    [{ sort: "docks:desc" }, {}, ["D3", "D1", "D2", "D4"]],
    [{ sort: { field: "docks", order: "desc" } }, {}, ["D3", "D1", "D2", "D4"]],
  ])("lists by %j", async (input, told, ids) => {
    const app = await started();
    const answer = await answerOf(app, "list_depot", input);
    expect(answer).toMatchObject(told);
    expect(answer.items.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(Object.keys(answer.items[0])).toEqual(["id", "data"]);
  });

  test("gets entities by id, with those that are not there", async () => {
    const app = await started();
    const [first] = DEPOTS;
    const found = { entities: [{ id: "D1", data: first }], not_found: ["D9"] };
    expect(await answerOf(app, "get_depot", { ids: ["D1", "D9", "D1"] })).toEqual(found);
    const one = { entities: [{ id: "D1", data: first }], not_found: [] };
    expect(await answerOf(app, "get_depot", { id: "D1" })).toEqual(one);
    expect(await answerOf(app, "get_depot", { ids: "D1" })).toEqual(one);
  });

  test("lists ids, with a summary when the type has one", async () => {
    const app = await started();
    expect(await answerOf(app, "list_parcel_ids", { limit: 1 })).toEqual({
      items: [{ id: "P1", depot: "D1" }],
      total: 2,
    });
    const { "x-summary-fields": _, ...schema } = PARCEL.schema;
    await importBundle(app.admin, { ...LOGISTICS, schemas: [DEPOT, { ...WITH_IDS, schema }] });
    expect(await answerOf(app, "list_parcel_ids", {})).toEqual({ ids: ["P1", "P2"], total: 2 });
  });

  test.each([
    ["list_depot", { filters: { note: "x" } }, /^\[INVALID_INPUT\] filter note: .* country/],
    ["list_depot", { filters: { docks: "many" } }, /^\[INVALID_INPUT\] filter docks/],
    ["list_depot", { filters: { docks: { like: 4 } } }, /^\[INVALID_INPUT\] .*like/],
    ["list_depot", { filters: { country: { gte: "A" } } }, /^\[INVALID_INPUT\] .*range/],
    ["list_depot", { filters: { docks: null } }, /^\[INVALID_INPUT\] filter docks/],
    ["list_depot", { filter: { docks: 1 } }, /^\[ERROR\] .*filter/],
    ["list_depot", { country: "FI" }, /^\[ERROR\] .*country/],
    ["list_depot", { limit: 501 }, /^\[ERROR\] .*500/],
    ["list_depot", { sort: [{ field: "note" }] }, /^\[ERROR\] .*sort/],
    ["list_depot", "not JSON", /^\[ERROR\]/],
    ["get_depot", {}, /^\[ERROR\] .*ids/],
    ["get_depot", { ids: [] }, /^\[ERROR\] .*ids/],
    ["get_truck", { ids: ["T1"] }, /^\[ERROR\]/],
  ])("reads of %s with %j what is wrong", async (tool, input, told) => {
    const app = await started();
    const { content, has_error } = await called(app, tool, input);
    expect(has_error).toBe(true);
    expect(content.replaceAll("\n", " ")).toMatch(told);
  });

  test("is given no more than it can take in, and told how to go on", async () => {
    const items = Array.from({ length: 10 }, (_, index) => ({
      id: `P${index}`,
      text: "t".repeat(20_000),
    }));
    const entities = [LOGISTICS.entities[0], { entity_type: "parcel", items }];
    const app = await started({ entities });
    const page = await answerOf(app, "list_parcel", { offset: 1 });
    expect(page).toMatchObject({ total: 10, offset: 1, note: expect.stringContaining("offset 3") });
    expect(page.items).toHaveLength(2);
    const ids = items.map(({ id }) => id);
    const got = await answerOf(app, "get_parcel", { ids });
    expect(got).toMatchObject({ not_found: [], note: expect.stringContaining("8 more") });
  });

  test("works with the graph as it is now, and loses it with its capability", async () => {
    const app = await started();
    await app.admin.post(`${GRAPH}/entities/parcel`, { id: "P3", depot: "D2", weight: 30 });
    const heavy = await answerOf(app, "list_parcel", { filters: { weight: { gt: 25 } } });
    expect(heavy.items).toEqual([{ id: "P3", data: { id: "P3", depot: "D2", weight: 30 } }]);
    await app.admin.delete(GRAPH);
    app.model.script({ text: "Hi." });
    await ask(app.admin, { message: "hi" });
    expect(app.model.calls.at(-1)?.tools ?? []).toEqual([]);
  });

  test("is told that what it was given is data", async () => {
    const app = await started();
    await answerOf(app, "get_parcel", { ids: [PARCELS[0]?.id] });
    const given = lastResult(app.model.calls.at(-1) as ChatModelCall);
    expect(given).toMatch(/get_parcel.*P1/);
    expect(given).not.toContain('"value":"{');
  });
});
