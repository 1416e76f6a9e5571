import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";
import { ask } from "../support/turns.ts";

const PATH = "/agents/helper/capabilities";
const UNKNOWN = "44444444-4444-4444-8444-444444444444";
const MEMORY = { type: "memory" };

describe("a capability", () => {
  test("is bound to an agent and read back", async () => {
    const { admin } = await startChatApp();
    expect((await admin.get(PATH)).body).toEqual([]);
    const config = { max_entries: 5, retention_days: 30, unlimited_retention: false };
    const { status, body } = await admin.post(PATH, { ...MEMORY, config });
    expect(status).toBe(201);
    expect(body.id).toMatch(/^[0-9a-f-]{36}$/);
    const { id } = body;
    expect(body).toEqual({ id, agent_name: "helper", type: "memory", config, enabled: true });
    expect((await admin.get(PATH)).body).toEqual([body]);
  });

  test("is reached by the agent's id, too", async () => {
    const { admin } = await startChatApp();
    const { id } = (await admin.get("/agents/helper")).body;
    expect((await admin.post(`/agents/${id}/capabilities`, MEMORY)).status).toBe(201);
    expect((await admin.get(PATH)).body).toHaveLength(1);
  });

  test("keeps keys of its config that it does not know", async () => {
    const { admin } = await startChatApp();
    const config = { model_name: "mini", top_k: 3 };
    const { body } = await admin.post(PATH, { type: "knowledge", config });
    expect(body.config).toEqual(config);
  });

  test("changes in what is supplied, and answers nothing", async () => {
    const { admin } = await startChatApp();
    const { id } = (await admin.post(PATH, { ...MEMORY, config: { max_entries: 5 } })).body;
    const changed = await admin.put(`${PATH}/${id}`, { enabled: false });
    expect([changed.status, changed.text]).toEqual([204, ""]);
    expect((await admin.get(PATH)).body).toMatchObject([
      { enabled: false, config: { max_entries: 5 } },
    ]);
    await admin.put(`${PATH}/${id}`, { type: "memory", config: { max_entries: 7 } });
    expect((await admin.get(PATH)).body).toMatchObject([
      { enabled: false, config: { max_entries: 7 } },
    ]);
  });

  test("is removed, alone or with its agent", async () => {
    const { admin, store } = await startChatApp();
    const { id } = (await admin.post(PATH, MEMORY)).body;
    expect((await admin.delete(`${PATH}/${id}`)).status).toBe(204);
    expect((await admin.delete(`${PATH}/${id}`)).status).toBe(404);
    const again = (await admin.post(PATH, MEMORY)).body.id;
    await admin.delete("/agents/helper");
    expect(await store.read.capabilities.get(again)).toBeUndefined();
  });

  test("of memory gives its agent two tools, while it is enabled", async () => {
    const { admin, model } = await startChatApp([{ text: "Hi." }, { text: "Hi." }]);
    const { id } = (await admin.post(PATH, MEMORY)).body;
    await ask(admin, { message: "hi" });
    await admin.put(`${PATH}/${id}`, { enabled: false });
    await ask(admin, { message: "hi" });
    const names = model.calls.map(({ tools = [] }) => tools.map(({ name }) => name).sort());
    expect(names).toEqual([["memory_recall", "memory_store"], []]);
  });
});

describe("a capability is refused", () => {
  test.each([
    ["no type", {}, "type"],
    ["an empty type", { type: "" }, "type"],
    ["an unknown type", { type: "guardrail" }, "memory, knowledge, knowledge_graphs"],
    ["a config that is no object", { ...MEMORY, config: [1] }, "config"],
    ["a negative number", { ...MEMORY, config: { max_entries: -1 } }, "config.max_entries"],
    ["half a day", { ...MEMORY, config: { retention_days: 0.5 } }, "config.retention_days"],
    ["no boolean", { ...MEMORY, config: { unlimited_retention: "yes" } }, "unlimited_retention"],
    ["top_k of zero", { type: "knowledge", config: { top_k: 0 } }, "config.top_k"],
    ["top_k of 51", { type: "knowledge", config: { top_k: 51 } }, "config.top_k"],
    [
      "a threshold over 1",
      { type: "knowledge", config: { similarity_threshold: 1.1 } },
      "config.similarity_threshold",
    ],
    ["no bundles", { type: "knowledge_graphs" }, "config.bundles"],
    ["empty bundles", { type: "knowledge_graphs", config: { bundles: [] } }, "config.bundles"],
    [
      "a malformed bundle",
      { type: "knowledge_graphs", config: { bundles: ["Not a name"] } },
      "config.bundles",
    ],
    ["enabled that is no boolean", { ...MEMORY, enabled: "no" }, "enabled"],
  ])("with %s", async (_what, body, told) => {
    const { admin } = await startChatApp();
    const answer = await admin.post(PATH, body);
    expect(answer).toMatchObject({ status: 400, body: { error: "bad_request" } });
    expect(answer.body.message).toContain(told);
    expect((await admin.get(PATH)).body).toEqual([]);
  });

  test("when its agent has one of the type", async () => {
    const { admin } = await startChatApp();
    await admin.post(PATH, MEMORY);
    expect((await admin.post(PATH, MEMORY)).status).toBe(409);
    expect((await admin.post(PATH, { type: "knowledge" })).status).toBe(201);
  });

  test("when another of the type comes at the same time", async () => {
    const { admin } = await startChatApp();
    const answers = await Promise.all([admin.post(PATH, MEMORY), admin.post(PATH, MEMORY)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  });

  test("when a change breaks its config or its type", async () => {
    const { admin } = await startChatApp();
    const { id } = (await admin.post(PATH, MEMORY)).body;
    const broken = { config: { max_entries: -1 } };
    expect((await admin.put(`${PATH}/${id}`, broken)).status).toBe(400);
    expect((await admin.put(`${PATH}/${id}`, { type: "nonsense" })).status).toBe(400);
    expect((await admin.put(`${PATH}/${id}`, { type: "knowledge" })).status).toBe(409);
  });

  test("as unknown, or as another agent's", async () => {
    const { admin } = await startChatApp();
    await admin.post("/agents", { name: "other", system: "?" });
    const { id } = (await admin.post(PATH, MEMORY)).body;
    for (const path of [`${PATH}/${UNKNOWN}`, `/agents/other/capabilities/${id}`]) {
      expect((await admin.put(path, { enabled: false })).status).toBe(404);
      expect((await admin.delete(path)).status).toBe(404);
    }
    expect((await admin.get("/agents/nobody/capabilities")).status).toBe(404);
    expect((await admin.post("/agents/nobody/capabilities", MEMORY)).status).toBe(404);
  });

  test.each([
    ["chat", 403, 403],
    ["agents:read", 200, 403],
    ["agents:write", 403, 201],
  ])("with the scope %s", async (scope, reads, writes) => {
    const app = await startChatApp();
    const caller = await app.as([scope]);
    expect((await caller.get(PATH)).status).toBe(reads);
    expect((await caller.post(PATH, MEMORY)).status).toBe(writes);
  });
});
