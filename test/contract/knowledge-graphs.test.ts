import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";
import {
  DEPOT,
  DEPOTS,
  GRAPH,
  importBundle,
  LOGISTICS,
  PARCEL,
  PARCELS,
} from "../support/graphs.ts";

async function start() {
  const app = await startTestApp();
  return { ...app, admin: await app.as("admin") };
}

const HASH = /^[0-9a-f]{64}$/;
const with_schema = (schema: object) => ({ schemas: [{ entity_type: "thing", schema }] });
const thing = (properties: object, more: object = {}) => ({
  "x-id-field": "id",
  properties: { id: { type: "string" }, ...properties },
  ...more,
});

describe("a knowledge graph", () => {
  test("is made by an import, and tells what it holds", async () => {
    const { admin } = await start();
    expect((await admin.get("/knowledge-graphs")).body).toEqual([]);
    const { status, body } = await admin.post(`${GRAPH}/import`, LOGISTICS);
    expect([status, body]).toEqual([
      200,
      {
        applied: true,
        bundle_name: "logistics",
        version: "1.0.0",
        schemas: { added: ["depot", "parcel"], changed: [], removed: [], unchanged: [] },
        entities: [
          { entity_type: "depot", added: 4, changed: 0, removed: 0, unchanged: 0 },
          { entity_type: "parcel", added: 2, changed: 0, removed: 0, unchanged: 0 },
        ],
        warnings: [],
      },
    ]);
    const bundle = (await admin.get(GRAPH)).body;
    expect(bundle).toEqual({
      bundle_name: "logistics",
      version: "1.0.0",
      manifest: {
        entity_types: [
          { entity_type: "depot", schema_hash: expect.stringMatching(HASH), entity_count: 4 },
          { entity_type: "parcel", schema_hash: expect.stringMatching(HASH), entity_count: 2 },
        ],
      },
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await admin.get("/knowledge-graphs")).body).toEqual([bundle]);
  });

  test("is deleted with all that it holds, also when it is not there", async () => {
    const { admin } = await start();
    await importBundle(admin);
    for (const _ of [1, 2]) {
      const { status, text } = await admin.delete(GRAPH);
      expect([status, text]).toEqual([204, ""]);
      expect((await admin.get(GRAPH)).status).toBe(404);
    }
    expect((await admin.get(`${GRAPH}/schemas`)).body).toEqual([]);
    await importBundle(admin, { schemas: [DEPOT] });
    expect((await admin.get(`${GRAPH}/entities/depot?sort=docks`)).body.items).toEqual([]);
  });

  test.each(["A", "a", "1a", "-a", "a-", "a_b", "ä".repeat(3), "a".repeat(65)])(
    "is not called %s",
    async (name) => {
      const { admin } = await start();
      const path = `/knowledge-graphs/${encodeURIComponent(name)}`;
      expect((await admin.get(path)).status).toBe(400);
      expect((await admin.delete(path)).status).toBe(400);
      expect((await admin.post(`${path}/import`, LOGISTICS)).status).toBe(400);
    },
  );

  test("is read with agents:read, and written with agents:write", async () => {
    const app = await start();
    await importBundle(app.admin);
    const reader = await app.as(["agents:read"]);
    expect((await reader.get(GRAPH)).status).toBe(200);
    const batch = await reader.post(`${GRAPH}/entities/depot/batch-get`, { ids: ["D1"] });
    expect(batch.status).toBe(200);
    expect((await reader.post(`${GRAPH}/import`, LOGISTICS)).status).toBe(403);
    const writer = await app.as(["agents:write"]);
    expect((await writer.post(`${GRAPH}/import`, LOGISTICS)).status).toBe(200);
  });
});

describe("an import", () => {
  test("removes what it does not hold, changes what differs, and leaves the rest alone", async () => {
    const { admin, clock } = await start();
    await importBundle(admin);
    const untouched = (await admin.get(`${GRAPH}/entities/depot/D1`)).body;
    const created = (await admin.get(GRAPH)).body.created_at;
    clock.pass(60_000);
    const items = [
      { country: "FI", ...DEPOTS[0], code: "D1" },
      { code: "D2", country: "EE" },
      { code: "D9" },
    ];
    const report = await importBundle(admin, {
      version: "2.0.0",
      schemas: [DEPOT],
      entities: [{ entity_type: "depot", items }],
    });
    expect(report).toMatchObject({
      version: "2.0.0",
      schemas: { added: [], changed: [], removed: ["parcel"], unchanged: ["depot"] },
      entities: [
        { entity_type: "depot", added: 1, changed: 1, removed: 2, unchanged: 1 },
        { entity_type: "parcel", added: 0, changed: 0, removed: 2, unchanged: 0 },
      ],
    });
    expect((await admin.get(`${GRAPH}/entities/depot/D1`)).body).toEqual(untouched);
    expect((await admin.get(`${GRAPH}/entities/parcel`)).status).toBe(404);
    const found = (await admin.get(`${GRAPH}/entities/depot?filter[country]=EE`)).body;
    expect(found).toMatchObject({ total: 1, items: [{ entity_id: "D2" }] });
    expect((await admin.get(GRAPH)).body).toMatchObject({ version: "2.0.0", created_at: created });
  });

  test("of the same again changes nothing", async () => {
    const { admin } = await start();
    await importBundle(admin);
    const before = (await admin.get(`${GRAPH}/entities/depot`)).body;
    const report = await importBundle(admin);
    expect(report.schemas).toMatchObject({ changed: [], unchanged: ["depot", "parcel"] });
    expect(report.entities).toMatchObject([
      { changed: 0, unchanged: 4 },
      { changed: 0, unchanged: 2 },
    ]);
    expect((await admin.get(`${GRAPH}/entities/depot`)).body).toEqual(before);
  });

  test("with other indexes sorts and filters by them at once", async () => {
    const { admin } = await start();
    await importBundle(admin);
    const schema = thing({
      depot: { type: "string" },
      weight: { type: "number", "x-index": true },
    });
    const bundle = { ...LOGISTICS, schemas: [DEPOT, { entity_type: "parcel", schema }] };
    const report = await importBundle(admin, bundle);
    expect(report.schemas).toMatchObject({ changed: ["parcel"], unchanged: ["depot"] });
    expect(report.entities[1]).toMatchObject({ changed: 0, unchanged: 2 });
    const path = `${GRAPH}/entities/parcel`;
    const heavy = (await admin.get(`${path}?filter[weight][gt]=2`)).body;
    expect(heavy.items).toMatchObject([{ entity_id: "P2" }]);
    const { schema_hash } = (await admin.get(`${GRAPH}/schemas/parcel`)).body;
    expect(heavy.items[0].schema_hash).toBe(schema_hash);
    expect((await admin.get(`${path}?filter[depot]=D1`)).status).toBe(400);
  });

  test("has the version 1.0.0 unless it says another", async () => {
    const { admin } = await start();
    expect(await importBundle(admin, { schemas: [DEPOT] })).toMatchObject({ version: "1.0.0" });
  });

  test("may hold types that refer to each other in a circle, and says so", async () => {
    const { admin } = await start();
    const refer = (entity_type: string, target: string) => ({
      entity_type,
      schema: thing({ other: { type: "array", items: { type: "string", "x-ref": target } } }),
    });
    const report = await importBundle(admin, {
      schemas: [refer("hen", "egg"), refer("egg", "hen")],
    });
    expect(report.warnings).toEqual([expect.stringContaining("hen → egg → hen")]);
  });

  test("may refer to entities that are not there", async () => {
    const { admin } = await start();
    const entities = [{ entity_type: "parcel", items: [{ id: "P1", depot: "nowhere" }] }];
    await importBundle(admin, { schemas: [DEPOT, PARCEL], entities });
  });

  const items = (...list: unknown[]) => ({ entities: [{ entity_type: "depot", items: list }] });
  const big = (count: number, size: number) =>
    Array.from({ length: count }, (_, index) => ({ code: `B${index}`, note: "n".repeat(size) }));

  test.each<[string, object, string]>([
    ["without schemas", { schemas: [] }, "schemas"],
    ["with an empty version", { version: "" }, "version"],
    ["with a type twice", { schemas: [DEPOT, DEPOT] }, "depot"],
    [
      "with a badly named type",
      { schemas: [{ ...DEPOT, entity_type: "De-pot" }] },
      "schemas.0.entity_type",
    ],
    [
      "with an id twice",
      items(DEPOTS[0], DEPOTS[1], DEPOTS[0]),
      'entities.0 (depot).items.2: the id "D1"',
    ],
    [
      "with an id twice in two lists",
      { entities: [...LOGISTICS.entities, ...LOGISTICS.entities] },
      "D1",
    ],
    ["of a type without a schema", { entities: [{ entity_type: "truck", items: [] }] }, "truck"],
    ["with an entity without an id", items({ country: "FI" }), "items.0: code"],
    ["with an entity that is none", items("D1"), "items.0: must be an object"],
    ["with what a schema refuses", items(DEPOTS[0], { code: "x", docks: "y" }), "items.1: docks"],
    ["with a reference to no type", { schemas: [PARCEL], entities: [] }, 'no entity type "depot"'],
    [
      "with a reference to no property",
      with_schema(thing({ other: { "x-ref": "thing", "x-ref-field": "nothing" } })),
      "nothing",
    ],
    ["with an entity that is too large", items(...big(1, 102_400)), "102400"],
    ["with too much data", items(...big(150, 80_000)), "10485760"],
    ["with too many schemas", { schemas: Array.from({ length: 257 }, () => DEPOT) }, "256"],
  ])("is refused %s, and nothing changes", async (_why, changes, told) => {
    const { admin } = await start();
    await importBundle(admin);
    const before = (await admin.get(`${GRAPH}/entities/depot`)).body;
    const bundle = {
      ...LOGISTICS,
      ...((changes as { schemas?: object }).schemas ? { entities: [] } : {}),
      ...changes,
    };
    const answer = await admin.post(`${GRAPH}/import`, bundle);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(told)]);
    expect((await admin.get(`${GRAPH}/entities/depot`)).body).toEqual(before);
    const { manifest } = (await admin.get(GRAPH)).body;
    expect(manifest.entity_types).toHaveLength(2);
  });

  test("of more than 16 MiB is refused as too large", async () => {
    const { admin } = await start();
    const body = JSON.stringify({ ...LOGISTICS, more: "m".repeat(16 * 1024 * 1024) });
    const answer = await admin.post(`${GRAPH}/import`, body);
    expect([answer.status, answer.body.error]).toEqual([413, "payload_too_large"]);
  });

  test("of just under 16 MiB is taken, if there is not too much data in it", async () => {
    const { admin } = await start();
    const body = JSON.stringify({ ...LOGISTICS, more: "m".repeat(15 * 1024 * 1024) });
    expect((await admin.post(`${GRAPH}/import`, body)).status).toBe(200);
  });

  test("that would refuse to replace leaves what there is", async () => {
    const { admin } = await start();
    const bundle = { ...LOGISTICS, replace_existing: false };
    expect((await admin.post(`${GRAPH}/import`, bundle)).status).toBe(200);
    const again = await admin.post(`${GRAPH}/import`, {
      schemas: [DEPOT],
      replace_existing: false,
    });
    expect([again.status, again.body.message]).toEqual([
      409,
      expect.stringContaining("replace_existing"),
    ]);
    expect((await admin.get(`${GRAPH}/entities/parcel`)).body.total).toBe(PARCELS.length);
  });

  const named = (entity_type: string, expose_tools: string[]) => ({
    entity_type,
    schema: thing({}),
    expose_tools,
  });

  test.each<[string, object[], string]>([
    ["of another bundle", [named("depot", ["list"])], "list_depot"],
    ["within the bundle", [named("box", ["list_ids"]), named("box_ids", ["list"])], "list_box_ids"],
    ["of the product", [named("embed_snippet", ["get"])], "get_embed_snippet"],
  ])("is refused when a tool has the name of one %s", async (_what, schemas, told) => {
    const { admin } = await start();
    await importBundle(admin);
    const answer = await admin.post("/knowledge-graphs/other/import", { schemas });
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining(told)]);
    expect((await admin.get("/knowledge-graphs/other")).status).toBe(404);
  });

  test("may hold a type of another bundle when only one of them has tools", async () => {
    const { admin } = await start();
    await importBundle(admin);
    await importBundle(admin, { schemas: [named("depot", [])] }, "/knowledge-graphs/other");
  });
});
