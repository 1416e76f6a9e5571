import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Caller, startTestApp } from "../support/app.ts";
import { DEPOTS, GRAPH, importBundle } from "../support/graphs.ts";

const DEPOT_PATH = `${GRAPH}/entities/depot`;

async function start() {
  const app = await startTestApp();
  const admin = await app.as("admin");
  await importBundle(admin);
  return { ...app, admin };
}

describe("an entity", () => {
  test("is created as it stands in the body, and read back", async () => {
    const { admin } = await start();
    const data = { code: "D9", country: "DK", docks: 1 };
    const made = await admin.post(DEPOT_PATH, data);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      bundle_name: "logistics",
      entity_type: "depot",
      entity_id: "D9",
      data,
      schema_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect((await admin.get(`${DEPOT_PATH}/D9`)).body).toEqual(made.body);
    const { manifest } = (await admin.get(GRAPH)).body;
    expect(manifest.entity_types[0]).toMatchObject({ entity_type: "depot", entity_count: 5 });
  });

  test("may have properties that are called like parts of its address, and nulls", async () => {
    const { admin } = await start();
    const properties = { id: { type: "string" }, bundle: {}, entity_type: {}, name: {} };
    const schema = { "x-id-field": "id", properties };
    await admin.put(`${GRAPH}/schemas/odd`, { schema });
    const data = { id: "batch-get", bundle: "b", entity_type: null, name: "n", data: 1 };
    const made = await admin.post(`${GRAPH}/entities/odd`, data);
    expect([made.status, made.body.data]).toEqual([201, data]);
    expect((await admin.get(`${GRAPH}/entities/odd/batch-get`)).body.data).toEqual(data);
  });

  test("may have an id with any characters", async () => {
    const { admin } = await start();
    const code = "a/b ?#%ü";
    await admin.post(DEPOT_PATH, { code });
    const path = `${DEPOT_PATH}/${encodeURIComponent(code)}`;
    expect((await admin.get(path)).body).toMatchObject({ entity_id: code });
    expect((await admin.delete(path)).body).toMatchObject({ deleted: true, entity_id: code });
  });

  test("is replaced as a whole, and keeps its time of creation", async () => {
    const { admin, clock } = await start();
    clock.pass(60_000);
    const { status, body } = await admin.put(`${DEPOT_PATH}/D1`, { code: "D1", docks: 7 });
    expect([status, body.data]).toEqual([200, { code: "D1", docks: 7 }]);
    expect(body.updated_at > body.created_at).toBe(true);
    expect((await admin.get(`${DEPOT_PATH}?filter[docks]=7`)).body.total).toBe(1);
    expect((await admin.get(`${DEPOT_PATH}?filter[country]=FI`)).body.total).toBe(1);
  });

  test("is deleted, and deleting it again says that it was not there", async () => {
    const { admin } = await start();
    const names = { bundle_name: "logistics", entity_type: "depot", entity_id: "D1" };
    const first = await admin.delete(`${DEPOT_PATH}/D1`);
    expect([first.status, first.body]).toEqual([200, { deleted: true, ...names }]);
    const second = await admin.delete(`${DEPOT_PATH}/D1`);
    expect([second.status, second.body]).toEqual([200, { deleted: false, ...names }]);
    expect((await admin.get(`${DEPOT_PATH}/D1`)).status).toBe(404);
    expect((await admin.get(`${DEPOT_PATH}?filter[country]=FI`)).body.total).toBe(1);
    const unknown = await admin.delete("/knowledge-graphs/nowhere/entities/depot/D1");
    expect([unknown.status, unknown.body.deleted]).toEqual([200, false]);
  });

  test.each<[string, "post" | "put", string, object, number, string]>([
    ["with an id that there is", "post", "", { code: "D1" }, 409, "D1"],
    ["without an id", "post", "", { docks: 1 }, 400, "code"],
    ["with an id that is no string", "post", "", { code: 5 }, 400, "code"],
    ["with an empty id", "post", "", { code: "" }, 400, "code"],
    ["with an id of 129 bytes", "post", "", { code: "ä".repeat(65) }, 400, "128 bytes"],
    [
      "with a value of another type",
      "post",
      "",
      { code: "x", docks: "4" },
      400,
      "docks: must be integer",
    ],
    ["with a property that is not allowed", "post", "", { code: "x", y: 1 }, 400, "y"],
    ["with a value that is not of the enum", "post", "", { code: "x", size: "tiny" }, 400, "size"],
    ["with a date that is none", "post", "", { code: "x", built: "2026-02-30" }, 400, "built"],
    ["that is too large", "post", "", { code: "x", note: "n".repeat(102_400) }, 400, "102400"],
    ["that is not there", "put", "/D99", { code: "D99" }, 404, "D99"],
    ["under another id", "put", "/D1", { code: "D2" }, 400, "code"],
    ["with what its schema refuses", "put", "/D1", { code: "D1", docks: 1.5 }, 400, "docks"],
  ])("is refused %s, and nothing changes", async (_why, method, path, data, status, told) => {
    const { admin } = await start();
    const before = (await admin.get(DEPOT_PATH)).body;
    const answer = await admin[method](DEPOT_PATH + path, data);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(told)]);
    expect((await admin.get(DEPOT_PATH)).body).toEqual(before);
  });

  test.each([
    ["/knowledge-graphs/nowhere/entities/depot", 404],
    [`${GRAPH}/entities/truck`, 404],
    ["/knowledge-graphs/Bad_Name/entities/depot", 400],
    [`${GRAPH}/entities/Bad-Type`, 400],
  ])("at %s is %i", async (path, status) => {
    const { admin } = await start();
    expect((await admin.post(path, { code: "x" })).status).toBe(status);
    expect((await admin.get(path)).status).toBe(status);
    expect((await admin.get(`${path}/x`)).status).toBe(status);
    expect((await admin.put(`${path}/x`, { code: "x" })).status).toBe(status);
    expect((await admin.post(`${path}/batch-get`, { ids: ["x"] })).status).toBe(status);
  });

  test("is audited by what happened to it", async () => {
    const { admin } = await start();
    await admin.post(DEPOT_PATH, { code: "x" });
    await admin.post(DEPOT_PATH, { code: "x" });
    await admin.put(`${DEPOT_PATH}/x`, { code: "x" });
    await admin.delete(`${DEPOT_PATH}/x`);
    await admin.post(`${DEPOT_PATH}/batch-get`, { ids: ["x"] });
    const { data } = (await admin.get("/audit")).body;
    const actions = data.map(({ action }: { action: string }) => action);
    expect(actions.reverse()).toEqual([
      "kg.bundle.import",
      "kg.entity.create",
      "kg.entity.update",
      "kg.entity.delete",
    ]);
  });
});

describe("a batch of entities", () => {
  test("is read in the order that was asked, each once, with what is not there", async () => {
    const { admin } = await start();
    const ids = ["D3", "D9", "D1", "D3", "D8"];
    const { status, body } = await admin.post(`${DEPOT_PATH}/batch-get`, { ids });
    expect(status).toBe(200);
    expect(body.entities.map(({ entity_id }: { entity_id: string }) => entity_id)).toEqual([
      "D3",
      "D1",
    ]);
    expect(body.entities[1].data).toEqual(DEPOTS[0]);
    expect(body.not_found).toEqual(["D9", "D8"]);
  });

  test.each([
    [{}, "ids"],
    [{ ids: [] }, "ids"],
    [{ ids: Array.from({ length: 501 }, (_, index) => `D${index}`) }, "500"],
    [{ ids: [""] }, "ids"],
    [{ ids: [1] }, "ids"],
    [{ ids: ["D1"], more: true }, "more"],
  ])("is refused", async (body, told) => {
    const { admin } = await start();
    const answer = await admin.post(`${DEPOT_PATH}/batch-get`, body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(told)]);
  });
});

describe("a page of entities", () => {
  let admin: Caller;
  const endings: (() => Promise<void>)[] = [];

  // Nothing changes it: one for all of them.
  beforeAll(async () => {
    const app = await startTestApp({ atEnd: (work) => endings.push(work) });
    admin = await app.as("admin");
    await importBundle(admin);
    await admin.post(DEPOT_PATH, { code: "D5", height: -1.5, seen: "2026-03-01T12:00:00+02:00" });
    await admin.post(DEPOT_PATH, { code: "D6", height: 3, seen: "2026-03-01T10:00:00.5Z" });
  });
  afterAll(async () => {
    for (const end of endings) await end();
  });

  async function idsOf(query: string) {
    const { status, body } = await admin.get(`${DEPOT_PATH}?${query}`);
    if (status !== 200) return [status, body.message];
    return body.items.map(({ entity_id }: { entity_id: string }) => entity_id);
  }

  test.each([
    ["", ["D1", "D2", "D3", "D4", "D5", "D6"]],
    ["limit=2&offset=1", ["D2", "D3"]],
    ["offset=99", []],
    ["filter[country]=FI", ["D1", "D2"]],
    ["filter[country]=XX", []],
    ["filter[country]=", []],
    ["filter[docks]=4", ["D1"]],
    ["filter[docks]=4.0", ["D1"]],
    ["filter[height]=-1.5", ["D5"]],
    ["filter[height]=3", ["D6"]],
    ["filter[is_open]=true", ["D1", "D3"]],
    ["filter[is_open]=false", ["D2"]],
    ["filter[size]=huge", ["D3"]],
    ["filter[size]=tiny", []],
    ["filter[size][in]=huge,small", ["D2", "D3"]],
    ["filter[country][in]=SE,NO,XX", ["D3", "D4"]],
    ["filter[docks][in]=2,9", ["D2", "D3"]],
    ["filter[docks][gte]=4", ["D1", "D3"]],
    ["filter[docks][gt]=4", ["D3"]],
    ["filter[docks][lt]=9&filter[docks][gt]=2", ["D1"]],
    ["filter[docks][lte]=2", ["D2"]],
    ["filter[built]=2010-01-01", ["D2"]],
    ["filter[built][gte]=2010-01-01", ["D2", "D3"]],
    ["filter[built][lt]=2010-01-01", ["D1"]],
    ["filter[seen]=2026-03-01T10:00:00Z", ["D5"]],
    ["filter[seen][gt]=2026-03-01T10:00:00Z", ["D6"]],
    ["filter[seen][gte]=2026-03-01", ["D5", "D6"]],
    ["filter[country]=FI&filter[is_open]=true", ["D1"]],
    ["filter[country]=FI&filter[docks][gte]=3&filter[size][in]=large,huge", ["D1"]],
    ["filter[docks][like]=4&limit=1", ["D1"]],
    ["sort=docks", ["D2", "D1", "D3", "D4", "D5", "D6"]],
    ["sort=docks:desc", ["D3", "D1", "D2", "D6", "D5", "D4"]],
    ["sort=docks:desc&limit=2&offset=2", ["D2", "D6"]],
    ["sort=docks:asc&limit=2&offset=4", ["D5", "D6"]],
    ["sort=size:asc&limit=3", ["D2", "D1", "D3"]],
    ["sort=size:desc&limit=3", ["D3", "D1", "D2"]],
    ["sort=country:asc,docks:desc&limit=3", ["D1", "D2", "D4"]],
    ["sort=country,docks&limit=3", ["D2", "D1", "D4"]],
    ["sort=is_open,country:desc&limit=3", ["D2", "D3", "D1"]],
    ["filter[is_open]=true&sort=docks:desc", ["D3", "D1"]],
    ["filter[country][in]=FI,NO&sort=docks:desc", ["D1", "D2", "D4"]],
    ["filter[country][in]=FI,NO&sort=docks:desc&offset=2", ["D4"]],
    ["filter[country][in]=FI,NO&sort=docks&offset=1&limit=1", ["D1"]],
    ["filter[docks][gte]=1&sort=docks:desc", ["D3", "D1", "D2"]],
    ["sort=", ["D1", "D2", "D3", "D4", "D5", "D6"]],
  ])("for %s holds %j", async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=501", "limit"],
    ["limit=x", "limit"],
    ["limit=1.5", "limit"],
    ["limit=", "limit"],
    ["offset=-1", "offset"],
    ["offset=x", "offset"],
    ["filter[note]=x", "note"],
    ["filter[nothing]=x", "nothing"],
    ["sort=note", "note"],
    ["sort=docks:up", "docks:up"],
    ["sort=docks,docks:desc", "docks"],
    ["sort=:asc", ":asc"],
    [`sort=${"docks,".repeat(400)}`, "2048 bytes"],
    ["filter[docks]=many", "docks"],
    ["filter[docks]=4.5", "docks"],
    ["filter[docks]=", "docks"],
    ["filter[docks]=Infinity", "docks"],
    ["filter[docks]=0x10", "docks"],
    ["filter[docks][in]=1,x", "docks"],
    ["filter[height]=high", "height"],
    ["filter[is_open]=yes", "is_open"],
    ["filter[is_open]=1", "is_open"],
    ["filter[built][gte]=soon", "built"],
    ["filter[country][gte]=A", "country"],
    ["filter[size][gt]=small", "size"],
    ["filter[is_open][gt]=false", "is_open"],
    ["filter[docks]=1&filter[docks][gte]=0", "docks"],
    ["filter[docks]=1&filter[docks][in]=1,2", "docks"],
    ["filter[docks][in]=1&filter[docks][lt]=3", "docks"],
    [`filter[country][in]=${Array.from({ length: 501 }, (_, index) => index).join()}`, "500"],
  ])("for %s is refused", async (query, told) => {
    expect(await idsOf(query)).toEqual([400, expect.stringContaining(told)]);
  });

  test("tells the total and what was asked", async () => {
    const { body } = await admin.get(`${DEPOT_PATH}?filter[country]=FI&limit=1`);
    expect(body).toMatchObject({ total: 2, limit: 1, offset: 0, items: [{ entity_id: "D1" }] });
    expect(body.items[0].data).toEqual(DEPOTS[0]);
    const usual = (await admin.get(`${DEPOT_PATH}?offset=5`)).body;
    expect(usual).toMatchObject({ total: 6, limit: 50, offset: 5 });
    expect(usual.items).toHaveLength(1);
  });
});
