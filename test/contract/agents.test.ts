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

  test("takes both editions' names at once: the prompt that says something, and the id", async () => {
    const { admin } = await start();
    await admin.post("/models", { name: "large", type: "demo", model_name: "demo" });
    const { body } = await admin.post("/agents", {
      name: "a",
      system: "Old.",
      system_prompt: "New.",
      model: "small",
      model_id: "large",
    });
    expect(body).toMatchObject({ system: "New.", system_prompt: "New.", model: "large" });
    const patch = async (fields: object) => (await admin.patch("/agents/a", fields)).body.system;
    expect(await patch({ system: "Kept.", system_prompt: "" })).toBe("Kept.");
    expect(await patch({ system_prompt: "" })).toBe("");
    expect(await patch({ max_steps: 3 })).toBe("");
  });

  test("needs no prompt when it is created, and no null counts as said", async () => {
    const { admin } = await start();
    const nulls = { system: null, model: null, tools: null, lifecycle: null, max_steps: null };
    const { status, body } = await admin.post("/agents", { name: "a", ...nulls });
    expect([status, body.system, body.model, body.max_steps]).toEqual([201, "", "small", 50]);
    await admin.patch("/agents/a", { system: "Hi.", tools: ["a"], top_p: 0.5, max_tokens: 9 });
    const cleared = await admin.patch("/agents/a", { ...nulls, top_p: null, max_tokens: null });
    expect(cleared.body).toMatchObject({ system: "Hi.", tools: ["a"] });
    expect(cleared.body).not.toHaveProperty("top_p");
    expect(cleared.body).not.toHaveProperty("max_tokens");
    expect((await admin.put("/agents/a", { system: null })).status).toBe(400);
  });

  test("keeps its tools in order, and has them cleared by an empty list", async () => {
    const { admin } = await start();
    const lists = { tools: ["b", "a", "b"], confirm_before: ["b"], stop_sequences: ["END"] };
    const { body } = await admin.post("/agents", { name: "a", ...lists });
    expect(body).toMatchObject({ ...lists, tools_count: 3 });
    const empty = { tools: [], confirm_before: [], stop_sequences: [] };
    const cleared = (await admin.patch("/agents/a", empty)).body;
    expect(cleared).toMatchObject({ tools: [], tools_count: 0 });
    expect(cleared).not.toHaveProperty("confirm_before");
    expect(cleared).not.toHaveProperty("stop_sequences");
  });

  test.each([
    ["post", { max_steps: 50, max_context_size: 16_000, max_turn_duration: 0 }],
    ["put", { max_steps: 50, max_context_size: 16_000, max_turn_duration: 0 }],
    ["patch", { max_steps: 50, max_context_size: 0, max_turn_duration: 0 }],
  ] as const)("takes zero by %s for a default or for no limit", async (method, expected) => {
    const { admin } = await start();
    const zero = { max_steps: 0, max_context_size: 0, max_turn_duration: 0, max_step_duration: 0 };
    if (method !== "post") await admin.post("/agents", { name: "a", max_steps: 7 });
    const path = method === "post" ? "/agents" : "/agents/a";
    const { body } = await admin[method](path, { name: "a", system: "x", ...zero });
    expect(body).toMatchObject({ ...expected, max_step_duration: 0 });
  });

  test.each(["get", "put", "patch", "delete"] as const)(
    "is reached by its UUID, in whatever case, by %s",
    async (method) => {
      const { admin } = await start();
      const { id } = (await admin.post("/agents", { name: "a" })).body;
      const body = method === "get" || method === "delete" ? undefined : { system: "x" };
      const answer = await admin[method](`/agents/${id.toUpperCase()}`, body);
      expect(answer.status).toBe(method === "delete" ? 204 : 200);
      const gone = await admin[method]("/agents/nobody", body);
      expect(gone).toMatchObject({ status: 404, body: { error: "not_found" } });
    },
  );

  test("ignores fields that nobody knows, `rename` among them", async () => {
    const { admin } = await start();
    await admin.post("/agents", { name: "a", colour: "red" });
    const { status, body } = await admin.patch("/agents/a", { rename: "b", colour: "red" });
    expect([status, body.name]).toEqual([200, "a"]);
    expect(body).not.toHaveProperty("colour");
  });

  test("is listed oldest first, with what it is used in", async () => {
    const { admin, clock } = await start();
    for (const name of ["zoe", "amy", "bob"]) {
      await admin.post("/agents", { name });
      clock.pass(1_000);
    }
    await admin.post("/schemas", { name: "desk", entry_agent_id: "zoe" });
    await admin.post("/schemas/desk/agent-relations", { source: "zoe", target: "amy" });
    const list = (await admin.get("/agents")).body as { name: string; used_in_schemas: string[] }[];
    expect(list.map(({ name, used_in_schemas }) => [name, used_in_schemas])).toEqual([
      ["zoe", ["desk"]],
      ["amy", ["desk"]],
      ["bob", undefined],
    ]);
    expect((await admin.get("/agents/zoe")).body.can_spawn).toEqual(["amy"]);
    await admin.delete("/agents/amy");
    expect((await admin.get("/agents/zoe")).body).not.toHaveProperty("can_spawn");
    expect((await admin.get("/schemas/desk/agent-relations")).body).toEqual([]);
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
    ["a reserved name", { name: "sessions" }, "reserved"],
    ["no name", { system: "x" }, "name: is required"],
    ["an empty name", { name: "" }, "name:"],
    ["a name that ends with a hyphen", { name: "a-" }, "name:"],
    ["a name that is too long", { name: "a".repeat(101) }, "100"],
    ["a name like a UUID", { name: "a5555555-5555-4555-8555-555555555555" }, "UUID"],
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
