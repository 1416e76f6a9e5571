import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";
import { ask } from "../support/turns.ts";

const PATH = "/schemas/support/agent-relations";
const UNKNOWN = "44444444-4444-4444-8444-444444444444";

/** The schema `support` of `helper`, and three more agents: a, b and c. */
async function withAgents() {
  const app = await startChatApp([{ text: "Hi." }]);
  for (const name of ["a", "b", "c"])
    await app.admin.post("/agents", { name, system: `I am ${name}.` });
  const relate = (source: string, target: string, more: object = {}) =>
    app.admin.post(PATH, { source, target, ...more });
  return { ...app, relate };
}

describe("a relation", () => {
  test("is created with names and read back with names", async () => {
    const { admin, relate } = await withAgents();
    const created = await relate("helper", "a", { config: { note: "x" } });
    expect(created.status).toBe(201);
    const { id, schema_id } = created.body;
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(schema_id).toBe((await admin.get("/schemas/support")).body.id);
    const record = { id, schema_id, source: "helper", target: "a", config: { note: "x" } };
    expect(created.body).toEqual(record);
    expect((await admin.get(`${PATH}/${id}`)).body).toEqual(record);
    expect((await admin.get(PATH)).body).toEqual([record]);
  });

  test("takes ids as well as names", async () => {
    const { admin, relate } = await withAgents();
    const { id } = (await admin.get("/agents/a")).body;
    const created = await relate("helper", id.toUpperCase());
    expect(created).toMatchObject({ status: 201, body: { target: "a" } });
    expect(created.body).not.toHaveProperty("config");
  });

  test("lists are empty at first, and then oldest first", async () => {
    const { admin, relate } = await withAgents();
    expect((await admin.get(PATH)).body).toEqual([]);
    await relate("helper", "b");
    await relate("helper", "a");
    const { body } = await admin.get(PATH);
    expect(body.map(({ target }: { target: string }) => target)).toEqual(["b", "a"]);
  });

  test("makes its ends members of the schema", async () => {
    const { admin, relate } = await withAgents();
    await relate("a", "b");
    expect((await admin.get("/schemas/support/agents")).body).toEqual(["helper", "a", "b"]);
    expect((await admin.get("/schemas/support")).body).toMatchObject({ agents_count: 3 });
  });

  test("gives a schema without an entry agent its source as one", async () => {
    const { admin } = await withAgents();
    await admin.post("/schemas", { name: "empty" });
    await admin.post("/schemas/empty/agent-relations", { source: "b", target: "c" });
    await admin.post("/schemas/empty/agent-relations", { source: "a", target: "b" });
    expect((await admin.get("/schemas/empty")).body.entry_agent_name).toBe("b");
  });

  test("is replaced as a whole", async () => {
    const { admin, relate } = await withAgents();
    const { id } = (await relate("helper", "a", { config: { note: "x" } })).body;
    const replaced = await admin.put(`${PATH}/${id}`, { source: "helper", target: "b" });
    expect([replaced.status, replaced.text]).toEqual([204, ""]);
    const { body } = await admin.get(`${PATH}/${id}`);
    expect(body).toMatchObject({ source: "helper", target: "b" });
    expect(body).not.toHaveProperty("config");
    expect((await admin.put(`${PATH}/${id}`, { source: "helper", target: "b" })).status).toBe(204);
  });

  test("is deleted, and with it what was derived from it", async () => {
    const { admin, relate } = await withAgents();
    const { id } = (await relate("helper", "a")).body;
    expect((await admin.delete(`${PATH}/${id}`)).status).toBe(204);
    expect((await admin.delete(`${PATH}/${id}`)).status).toBe(404);
    expect((await admin.get("/agents/helper")).body.can_spawn ?? []).toEqual([]);
    expect((await admin.get("/schemas/support/agents")).body).toEqual(["helper"]);
  });

  test("goes with either of its agents", async () => {
    const { admin, relate } = await withAgents();
    await relate("helper", "a");
    await relate("a", "b");
    await relate("helper", "c");
    await admin.delete("/agents/a");
    const { body } = await admin.get(PATH);
    expect(body.map(({ target }: { target: string }) => target)).toEqual(["c"]);
  });

  test("goes with its schema", async () => {
    const { admin, relate, store } = await withAgents();
    const { id } = (await relate("helper", "a")).body;
    expect((await admin.delete("/schemas/support")).status).toBe(204);
    expect(await store.read.relations.get(id)).toBeUndefined();
  });

  test("counts from the next turn on", async () => {
    const { admin, relate, model } = await withAgents();
    await relate("helper", "a");
    await ask(admin, { message: "hi" });
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(["spawn_a"]);
  });

  test("lets only members receive the schema's messages", async () => {
    const { admin, relate } = await withAgents();
    expect((await admin.patch("/schemas/support", { entry_agent_id: "c" })).status).toBe(204);
    await relate("a", "b");
    expect((await admin.patch("/schemas/support", { entry_agent_id: "helper" })).status).toBe(400);
    expect((await admin.patch("/schemas/support", { entry_agent_id: "a" })).status).toBe(204);
  });
});

describe("a relation is refused", () => {
  test.each([
    ["without a source", { target: "a" }, 400, "source"],
    ["without a target", { source: "a" }, 400, "target"],
    ["with an empty source", { source: "", target: "a" }, 400, "source"],
    ["with an unknown source", { source: "nobody", target: "a" }, 400, 'no agent "nobody"'],
    ["with an unknown target", { source: "a", target: UNKNOWN }, 400, "target"],
    ["to itself", { source: "a", target: "a" }, 400, "itself"],
    ["twice", { source: "helper", target: "a" }, 409, "already exists"],
    ["in a circle", { source: "a", target: "helper" }, 400, "cycle"],
    ["in a longer circle", { source: "b", target: "helper" }, 400, "cycle"],
    ["with a config that is no object", { source: "a", target: "c", config: 7 }, 400, "config"],
    ["as text", "{oops", 400, "JSON"],
  ])("%s", async (_what, body, status, told) => {
    const { admin, relate } = await withAgents();
    await relate("helper", "a");
    const { id } = (await relate("a", "b")).body;
    const answer = await admin.post(PATH, body);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(told);
    expect((await admin.get(PATH)).body).toHaveLength(2);
    // A replacement is held to the same.
    const spare = (await relate("helper", "c")).body.id;
    expect((await admin.put(`${PATH}/${spare}`, body)).status).toBe(status);
    expect((await admin.get(`${PATH}/${id}`)).body).toMatchObject({ source: "a", target: "b" });
  });

  test("but the same pair may stand in another schema, also the other way round", async () => {
    const { admin, relate } = await withAgents();
    await relate("helper", "a");
    await admin.post("/schemas", { name: "other" });
    const other = "/schemas/other/agent-relations";
    expect((await admin.post(other, { source: "helper", target: "a" })).status).toBe(201);
    await admin.post("/schemas", { name: "third" });
    const third = "/schemas/third/agent-relations";
    expect((await admin.post(third, { source: "a", target: "helper" })).status).toBe(201);
    const { body } = await admin.get("/agents/a");
    expect(body).toMatchObject({
      can_spawn: ["helper"],
      used_in_schemas: ["support", "other", "third"],
    });
  });

  test("when another that comes at the same time makes it a circle", async () => {
    const { admin, relate } = await withAgents();
    const answers = await Promise.all([relate("a", "b"), relate("b", "a")]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect((await admin.get(PATH)).body).toHaveLength(1);
  });

  test("when its replacement turns it round, the old direction does not count as a circle", async () => {
    const { admin, relate } = await withAgents();
    const { id } = (await relate("a", "b")).body;
    expect((await admin.put(`${PATH}/${id}`, { source: "b", target: "a" })).status).toBe(204);
  });

  test.each([
    ["an unknown relation", `${PATH}/${UNKNOWN}`, 404],
    ["an unknown schema", `/schemas/nowhere/agent-relations/${UNKNOWN}`, 404],
    ["a malformed schema name", `/schemas/Bad_Name/agent-relations/${UNKNOWN}`, 400],
  ])("%s is found by no method", async (_what, path, status) => {
    const { admin } = await withAgents();
    expect((await admin.get(path)).status).toBe(status);
    expect((await admin.put(path, { source: "a", target: "b" })).status).toBe(status);
    expect((await admin.delete(path)).status).toBe(status);
  });

  test("a relation of another schema is not found", async () => {
    const { admin, relate } = await withAgents();
    const { id } = (await relate("helper", "a")).body;
    await admin.post("/schemas", { name: "other" });
    const path = `/schemas/other/agent-relations/${id}`;
    expect((await admin.get(path)).status).toBe(404);
    expect((await admin.delete(path)).status).toBe(404);
    expect((await admin.get(`${PATH}/${id}`)).status).toBe(200);
  });

  test.each([
    ["chat", 403, 403],
    ["schemas:read", 200, 403],
    ["schemas:write", 403, 201],
  ])("the scope %s", async (scope, reads, writes) => {
    const app = await withAgents();
    const caller = await app.as([scope]);
    expect((await caller.get(PATH)).status).toBe(reads);
    expect((await caller.post(PATH, { source: "a", target: "b" })).status).toBe(writes);
  });
});
