import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";

const start = async () => {
  const app = await startTestApp();
  const admin = await app.as("admin");
  await admin.post("/models", { name: "small", type: "demo", model_name: "demo" });
  return { ...app, admin };
};

describe("an agent", () => {
  test("is created with defaults and shows both editions' names", async () => {
    const { admin } = await start();
    const { status, body } = await admin.post("/agents", {
      name: "helper",
      system: "Help.",
      model: "small",
      tools: ["current_time"],
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "helper",
      system: "Help.",
      system_prompt: "Help.",
      model: "small",
      model_id: 1,
      lifecycle: "persistent",
      tool_execution: "sequential",
      tools: ["current_time"],
      tools_count: 1,
      has_knowledge: false,
      max_steps: 50,
      max_context_size: 16_000,
      max_turn_duration: 120,
      max_step_duration: 0,
      created_at: "2026-03-01T12:00:00Z",
      updated_at: "2026-03-01T12:00:00Z",
    });
    expect((await admin.get("/agents/helper")).body).toEqual(body);
    expect((await admin.get(`/agents/${body.id}`)).body).toEqual(body);
    expect((await admin.get("/agents")).body).toEqual([
      {
        id: body.id,
        name: "helper",
        model: "small",
        lifecycle: "persistent",
        tools_count: 1,
        has_knowledge: false,
      },
    ]);
  });

  test("takes the other edition's keys, and its model by id, text or name", async () => {
    const { admin } = await start();
    for (const [index, model_id] of [1, "1", "small"].entries()) {
      const { body } = await admin.post("/agents", {
        name: `a${index}`,
        system_prompt: "Hi.",
        model_id,
      });
      expect(body).toMatchObject({ system: "Hi.", model: "small" });
    }
  });

  test("changes only in the supplied fields by PATCH", async () => {
    const { admin } = await start();
    await admin.post("/agents", { name: "helper", tools: ["a"], max_steps: 7, temperature: 0.5 });
    const { body } = await admin.patch("/agents/helper", { system: "Be brief." });
    expect(body).toMatchObject({
      system: "Be brief.",
      tools: ["a"],
      max_steps: 7,
      temperature: 0.5,
    });
    expect(
      (await admin.patch("/agents/helper", { tools: [], temperature: null })).body,
    ).not.toHaveProperty("temperature");
    expect((await admin.get("/agents/helper")).body.tools).toEqual([]);
  });

  test("is replaced as a whole by PUT, which needs a prompt", async () => {
    const { admin } = await start();
    await admin.post("/agents", { name: "helper", tools: ["a"], max_steps: 7 });
    expect(await admin.put("/agents/helper", { tools: [] })).toMatchObject({
      status: 400,
      body: { message: "system: is required" },
    });
    const { body } = await admin.put("/agents/helper", {
      name: "helper",
      system: "New.",
      max_context_size: 0,
    });
    expect(body).toMatchObject({
      system: "New.",
      tools: [],
      max_steps: 50,
      max_context_size: 16_000,
    });
  });

  test("keeps its name: it is a handle", async () => {
    const { admin } = await start();
    await admin.post("/agents", { name: "helper" });
    expect(await admin.put("/agents/helper", { name: "other", system: "x" })).toMatchObject({
      status: 409,
    });
    expect(await admin.patch("/agents/helper", { name: "other" })).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining("immutable") },
    });
    expect((await admin.patch("/agents/helper", { name: "helper" })).status).toBe(200);
  });

  test("leaves its schemas without an entry agent when it is deleted", async () => {
    const { admin } = await start();
    await admin.post("/agents", { name: "helper" });
    await admin.post("/schemas", { name: "support", entry_agent_id: "helper" });
    expect((await admin.get("/agents/helper")).body.used_in_schemas).toEqual(["support"]);
    const { status, text } = await admin.delete("/agents/helper");
    expect([status, text]).toEqual([204, ""]);
    expect((await admin.get("/schemas/support")).body).not.toHaveProperty("entry_agent_name");
    expect((await admin.get("/agents/helper")).status).toBe(404);
  });

  test("binds to the first default when there was no model before", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    const refused = await admin.post("/agents", { name: "early" });
    expect(refused).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("default chat model") },
    });
  });

  test("of unknown id is not found by either name", async () => {
    const { admin } = await start();
    expect(await admin.get("/agents/55555555-5555-4555-8555-555555555555")).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining("agent not found") },
    });
  });
});

describe("writing an agent is refused", () => {
  test.each([
    ["a malformed name", { name: "Bad_Name" }, "name:"],
    ["a name that begins with a digit", { name: "7up" }, "name:"],
    ["an unknown model", { name: "a", model: "huge" }, 'no model "huge"'],
    ["an administrative tool", { name: "a", tools: ["admin_delete_agent"] }, "admin_delete_agent"],
    ["a provisioning tool", { name: "a", tools: ["provision_agent"] }, "provision_agent"],
    ["a derived field", { name: "a", can_spawn: ["b"] }, "can_spawn"],
    ["too many steps", { name: "a", max_steps: 501 }, "max_steps"],
    ["a context that is too small", { name: "a", max_context_size: 999 }, "max_context_size"],
    ["a step that is too short", { name: "a", max_step_duration: 9 }, "max_step_duration"],
    ["a turn that is too long", { name: "a", max_turn_duration: 86_401 }, "max_turn_duration"],
    ["an unknown lifecycle", { name: "a", lifecycle: "eternal" }, "lifecycle"],
    ["steps that are no number", { name: "a", max_steps: "many" }, "max_steps"],
  ])("%s", async (_what, body, message) => {
    const { admin, store } = await start();
    const answer = await admin.post("/agents", body);
    expect(answer).toMatchObject({ status: 400, body: { error: "bad_request" } });
    expect(answer.body.message).toContain(message);
    expect(await store.read.agents.list()).toEqual([]);
  });

  test("an embedding model", async () => {
    const { admin } = await start();
    await admin.post("/models", {
      name: "vectors",
      type: "demo",
      kind: "embedding",
      model_name: "v",
    });
    expect(await admin.post("/agents", { name: "a", model: "vectors" })).toMatchObject({
      status: 400,
    });
  });

  test("a taken name", async () => {
    const { admin } = await start();
    await admin.post("/agents", { name: "a" });
    expect(await admin.post("/agents", { name: "a" })).toMatchObject({
      status: 409,
      body: { error: "conflict" },
    });
  });

  test("an unknown model id in a PATCH is not found", async () => {
    const { admin } = await start();
    await admin.post("/agents", { name: "a" });
    expect((await admin.patch("/agents/a", { model_id: 99 })).status).toBe(404);
    expect((await admin.patch("/agents/a", { model: "nope" })).status).toBe(400);
  });
});
