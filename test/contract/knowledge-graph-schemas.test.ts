import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";
import { DEPOT, GRAPH, importBundle } from "../support/graphs.ts";

async function start() {
  const app = await startTestApp();
  const admin = await app.as("admin");
  await importBundle(admin);
  return { ...app, admin };
}

const PATH = `${GRAPH}/schemas/truck`;
const ID = { id: { type: "string" } };
const truck = (properties: object = {}, more: object = {}) => ({
  type: "object",
  "x-id-field": "id",
  properties: { ...ID, ...properties },
  ...more,
});

describe("an entity schema", () => {
  test("is created, read, listed and replaced", async () => {
    const { admin } = await start();
    const schema = truck({}, { "x-tool-description": "All our trucks" });
    const made = await admin.put(PATH, { schema });
    expect([made.status, made.body]).toEqual([
      200,
      {
        bundle_name: "logistics",
        entity_type: "truck",
        schema_json: schema,
        schema_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        id_field: "id",
        expose_tools: ["list", "get"],
        tool_description: "All our trucks",
      },
    ]);
    expect((await admin.get(PATH)).body).toEqual(made.body);
    const types = (await admin.get(`${GRAPH}/schemas`)).body;
    expect(types.map(({ entity_type }: { entity_type: string }) => entity_type)).toEqual([
      "depot",
      "parcel",
      "truck",
    ]);
    const changed = await admin.put(PATH, {
      schema: truck({}, { "x-tool-expose": ["list"], "x-tool-description": "Ours" }),
      expose_tools: ["list_ids"],
      tool_description: "Theirs",
    });
    expect(changed.body).toMatchObject({ expose_tools: ["list_ids"], tool_description: "Theirs" });
    expect(changed.body.schema_hash).not.toBe(made.body.schema_hash);
  });

  test("has the same hash however its keys are ordered", async () => {
    const { admin } = await start();
    const one = await admin.put(PATH, { schema: { "x-id-field": "id", properties: ID } });
    const other = await admin.put(PATH, { schema: { properties: ID, "x-id-field": "id" } });
    expect(other.body.schema_hash).toBe(one.body.schema_hash);
  });

  test("needs its bundle, and is not found without", async () => {
    const { admin } = await start();
    const elsewhere = "/knowledge-graphs/nowhere/schemas";
    expect((await admin.put(`${elsewhere}/truck`, { schema: truck() })).status).toBe(404);
    expect((await admin.get(`${elsewhere}/truck`)).status).toBe(404);
    expect((await admin.get(elsewhere)).body).toEqual([]);
    expect((await admin.get(PATH)).status).toBe(404);
    expect((await admin.put(`${GRAPH}/schemas/Bad-Type`, { schema: truck() })).status).toBe(400);
  });

  test("that replaces another leaves the entities, which keep the hash they were checked by", async () => {
    const { admin } = await start();
    const before = (await admin.get(`${GRAPH}/entities/depot/D1`)).body;
    const { note, docks, ...properties } = DEPOT.schema.properties;
    const { "x-index": _, ...country } = properties.country;
    const schema = {
      ...DEPOT.schema,
      additionalProperties: true,
      properties: { ...properties, country, note: { ...note, "x-index": true } },
    };
    expect((await admin.put(`${GRAPH}/schemas/depot`, { schema })).status).toBe(200);
    const path = `${GRAPH}/entities/depot`;
    expect((await admin.get(`${path}/D1`)).body).toEqual(before);
    expect((await admin.get(`${path}?filter[country]=FI`)).status).toBe(400);
    expect((await admin.get(`${path}?filter[is_open]=true`)).body.total).toBe(2);
    await admin.put(`${path}/D1`, { code: "D1", note: "new" });
    expect((await admin.get(`${path}?filter[note]=new`)).body.items).toMatchObject([
      { entity_id: "D1" },
    ]);
  });

  test("sorts enums by the order that is declared now", async () => {
    const { admin } = await start();
    const path = `${GRAPH}/entities/depot`;
    const first = async () =>
      (await admin.get(`${path}?sort=size&limit=1`)).body.items[0].entity_id;
    expect(await first()).toBe("D2");
    const size = { enum: ["huge", "large", "small"], "x-index": true };
    const schema = { ...DEPOT.schema, properties: { ...DEPOT.schema.properties, size } };
    await admin.put(`${GRAPH}/schemas/depot`, { schema });
    expect(await first()).toBe("D3");
  });

  test("can't take another id field while there are entities", async () => {
    const { admin } = await start();
    const schema = { ...DEPOT.schema, "x-id-field": "note" };
    const answer = await admin.put(`${GRAPH}/schemas/depot`, { schema });
    expect([answer.status, answer.body.message]).toEqual([
      409,
      expect.stringContaining("x-id-field"),
    ]);
  });

  test.each<[string, object]>([
    ["list_depot", { schema: truck(), expose_tools: ["list"] }],
    ["get_depot", { schema: truck({}, { "x-tool-expose": ["get"] }) }],
  ])("is refused when the tool %s is another bundle's", async (name, body) => {
    const { admin } = await start();
    await importBundle(
      admin,
      { schemas: [{ entity_type: "box", schema: truck() }] },
      "/knowledge-graphs/other",
    );
    const answer = await admin.put("/knowledge-graphs/other/schemas/depot", body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(name)]);
  });

  test.each<[string, object, string]>([
    ["without a schema", {}, "schema"],
    ["that is no object", { schema: [] }, "schema"],
    ["of something else", { schema: truck({}, { type: "array" }) }, "schema.type"],
    ["without an id field", { schema: { properties: ID } }, "x-id-field"],
    [
      "with an id field that is no property",
      { schema: { "x-id-field": "no", properties: ID } },
      "no",
    ],
    ["with an id that is no string", { schema: truck({ id: { type: "integer" } }) }, "x-id-field"],
    [
      "with a tool that does not exist",
      { schema: truck({}, { "x-tool-expose": ["put"] }) },
      "x-tool-expose",
    ],
    [
      "with a tool that does not exist, outright",
      { schema: truck(), expose_tools: ["put"] },
      "expose_tools",
    ],
    [
      "with a description that is no text",
      { schema: truck({}, { "x-tool-description": 1 }) },
      "x-tool-description",
    ],
    [
      "with a summary of what is not there",
      { schema: truck({}, { "x-summary-fields": ["no"] }) },
      "no",
    ],
    [
      "with a summary of what is within",
      { schema: truck({}, { "x-summary-fields": ["a.b"] }) },
      "a.b",
    ],
    [
      "with a summary twice",
      { schema: truck({ a: {} }, { "x-summary-fields": ["a", "a"] }) },
      "twice",
    ],
    ["with an index of no type", { schema: truck({ a: { "x-index": true } }) }, "a.x-index"],
    [
      "with an index of a list",
      { schema: truck({ a: { type: "array", "x-index": true } }) },
      "a.x-index",
    ],
    [
      "with an index of what is within",
      { schema: truck({ a: { properties: { b: { type: "string", "x-index": true } } } }) },
      "a.properties.b.x-index",
    ],
    [
      "with an index that is no boolean",
      { schema: truck({ a: { type: "string", "x-index": "yes" } }) },
      "x-index",
    ],
    ["with a reference to nothing", { schema: truck({ a: { "x-ref": 5 } }) }, "a.x-ref"],
    ["with half a reference", { schema: truck({ a: { "x-ref-field": "b" } }) }, "x-ref-field"],
    ["that is no JSON Schema", { schema: truck({ a: { type: "text" } }) }, "properties.a.type"],
    [
      "of another dialect",
      { schema: truck({}, { $schema: "http://json-schema.org/draft-07/schema#" }) },
      "2020-12",
    ],
    [
      "with a reference to elsewhere",
      { schema: truck({ a: { $ref: "https://example.com/a.json" } }) },
      "a.$ref",
    ],
    ["with a reference to a file", { schema: truck({ a: { $ref: "a.json#/b" } }) }, "a.$ref"],
    ["with a reference to no schema", { schema: truck({ a: { $ref: "#/$defs/a" } }) }, "#/$defs/a"],
    [
      "that refers to itself",
      {
        schema: truck(
          { a: { $ref: "#/$defs/a" } },
          { $defs: { a: { items: { $ref: "#/$defs/a" } } } },
        ),
      },
      "refers to itself",
    ],
    ["with a dynamic reference", { schema: truck({ a: { $dynamicRef: "#a" } }) }, "$dynamicRef"],
    [
      "with a pattern that looks around",
      { schema: truck({ a: { pattern: "(?=a)b" } }) },
      "a.pattern",
    ],
    [
      "with a pattern that refers back",
      { schema: truck({ a: { pattern: "(a)\\1" } }) },
      "linear time",
    ],
    ["with a pattern that is none", { schema: truck({ a: { pattern: "(" } }) }, "a.pattern"],
    [
      "with a pattern that repeats too much",
      { schema: truck({ a: { pattern: "(a{100}){100}" } }) },
      "a.pattern",
    ],
    [
      "with a property's pattern that is none",
      { schema: truck({}, { patternProperties: { "(": {} } }) },
      "patternProperties.(",
    ],
    ["with too long a pattern", { schema: truck({ a: { pattern: "a".repeat(1001) } }) }, "1000"],
    [
      "with too many patterns",
      { schema: truck({ a: { allOf: Array.from({ length: 101 }, () => ({ pattern: "a" })) } }) },
      "100 patterns",
    ],
    ["that is too large", { schema: truck({ a: { description: "d".repeat(65_536) } }) }, "65536"],
    [
      "with too many parts",
      { schema: truck({ a: { allOf: Array.from({ length: 1001 }, () => ({})) } }) },
      "1000",
    ],
  ])("is refused %s", async (_why, body, told) => {
    const { admin } = await start();
    const answer = await admin.put(PATH, body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(told)]);
    expect((await admin.get(PATH)).status).toBe(404);
  });

  test("is refused when it is nested too deep", async () => {
    const { admin } = await start();
    let nested: object = {};
    for (let depth = 0; depth < 40; depth += 1) nested = { items: nested };
    const answer = await admin.put(PATH, { schema: truck({ a: nested }) });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining("32 levels"),
    ]);
  });

  test("is refused when its references multiply", async () => {
    const { admin } = await start();
    const twice = (name: string) => ({
      allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }],
    });
    const names = Array.from({ length: 30 }, (_, index) => `d${index}`);
    const $defs = Object.fromEntries(names.map((name, index) => [name, twice(`d${index + 1}`)]));
    const schema = truck({ a: { $ref: "#/$defs/d0" } }, { $defs: { ...$defs, d30: {} } });
    const answer = await admin.put(PATH, { schema });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining("5000")]);
  });

  test("takes what JSON Schema has: references within, conditions, patterns, unknown keywords", async () => {
    const { admin } = await start();
    const schema = truck(
      {
        plate: { $ref: "#/$defs/plate", "x-index": true },
        axles: { type: ["integer", "null"], "x-index": true },
        tags: { type: "array", uniqueItems: true, items: { type: "string" } },
        photo: { type: "string", "x-content-type": "image/png", "x-derived": true, format: "uri" },
      },
      {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: "https://example.com/truck.json",
        $defs: { plate: { type: "string", pattern: "^[A-Z]{2}-\\d+$" } },
        if: { required: ["axles"] },
        // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls it so
        then: { required: ["plate"] },
      },
    );
    expect((await admin.put(PATH, { schema })).status).toBe(200);
    const path = `${GRAPH}/entities/truck`;
    const good = { id: "t", plate: "AB-1", axles: 2, tags: ["a", "b"], photo: "not checked" };
    expect((await admin.post(path, good)).status).toBe(201);
    expect((await admin.post(path, { id: "u", axles: null, plate: "AB-2" })).status).toBe(201);
    const bad: [object, string][] = [
      [{ id: "v", plate: "AB" }, "plate"],
      [{ id: "v", axles: 2 }, "plate"],
      [{ id: "v", tags: ["a", "a"] }, "tags"],
    ];
    for (const [data, told] of bad) {
      const answer = await admin.post(path, data);
      expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(told)]);
    }
    expect((await admin.get(`${path}?filter[plate]=AB-1`)).body.total).toBe(1);
    expect((await admin.get(`${path}?sort=axles`)).body.items[1].entity_id).toBe("u");
  });

  test("may have properties that are called as what every object inherits", async () => {
    const { admin } = await start();
    const indexed = { type: "string", "x-index": true };
    const properties = { constructor: indexed, toString: indexed };
    await admin.put(PATH, { schema: truck(properties, { required: ["constructor"] }) });
    const path = `${GRAPH}/entities/truck`;
    expect((await admin.post(path, { id: "a" })).status).toBe(400);
    expect((await admin.post(path, { id: "a", constructor: "x" })).status).toBe(201);
    expect((await admin.get(`${path}?filter[constructor]=x&sort=toString`)).body.total).toBe(1);
  });

  test("with a pattern that would take JavaScript for ever checks an entity at once", async () => {
    const { admin } = await start();
    await admin.put(PATH, { schema: truck({ a: { pattern: "^(a+)+$" } }) });
    const answer = await admin.post(`${GRAPH}/entities/truck`, {
      id: "t",
      a: `${"a".repeat(50_000)}!`,
    });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      expect.stringContaining("a: must match"),
    ]);
  });
});
