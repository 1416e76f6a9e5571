import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";

const UNKNOWN = "44444444-4444-4444-8444-444444444444";

async function withBase(more: object = {}) {
  const app = await startChatApp();
  await app.admin.post("/models", {
    name: "vectors",
    type: "ollama",
    kind: "embedding",
    model_name: "nomic-embed-text",
    base_url: "http://127.0.0.1:9",
  });
  const created = await app.admin.post("/knowledge-bases", { name: "manuals", ...more });
  return { ...app, created };
}

describe("a knowledge base", () => {
  test("is created with a name and read back", async () => {
    const { admin, created } = await withBase({ description: "How things work" });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "manuals",
      description: "How things work",
      file_count: 0,
      linked_agents: [],
      created_at: "2026-03-01T12:00:00Z",
      updated_at: "2026-03-01T12:00:00Z",
    });
    expect((await admin.get("/knowledge-bases/manuals")).body).toEqual(created.body);
    expect((await admin.get("/knowledge-bases")).body).toEqual([created.body]);
  });

  test.each(["vectors", "2", 2])("takes its embedding model as %j", async (reference) => {
    const { created } = await withBase({ embedding_model_id: reference });
    expect(created.body.embedding_model_id).toBe(2);
  });

  test.each([
    ["without a name", { name: undefined }, 400, /name/],
    ["with a malformed name", { name: "Bad_Name" }, 400, /name/],
    ["with a reserved name", { name: "files" }, 400, /reserved/],
    ["with an unknown model", { name: "b", embedding_model_id: "no" }, 400, /no model "no"/],
    ["with a chat model", { name: "b", embedding_model_id: "scripted" }, 400, /chat model/],
    ["twice", { name: "manuals" }, 409, /already exists/],
  ])("is not created %s", async (_how, body, status, message) => {
    const { admin } = await withBase();
    const refused = await admin.post("/knowledge-bases", body);
    expect(refused.status).toBe(status);
    expect(refused.body.message).toMatch(message);
  });

  test("is changed where a PATCH says so, and replaced as a whole by a PUT", async () => {
    const { admin } = await withBase({ description: "Old", embedding_model_id: "vectors" });
    const path = "/knowledge-bases/manuals";
    const patched = await admin.patch(path, { description: "New" });
    expect(patched).toMatchObject({
      status: 200,
      body: { description: "New", embedding_model_id: 2 },
    });
    expect((await admin.patch(path, { embedding_model_id: "" })).body).not.toHaveProperty(
      "embedding_model_id",
    );
    const replaced = await admin.put(path, { name: "manuals" });
    expect(replaced.status).toBe(200);
    expect(replaced.body).not.toHaveProperty("description");
    expect((await admin.put(path, { description: "x" })).status).toBe(400);
    for (const method of ["put", "patch"] as const) {
      const renamed = await admin[method](path, { name: "other" });
      expect(renamed.status).toBe(409);
      expect(renamed.body.message).toContain("immutable");
    }
  });

  test("keeps the model it uses from being deleted", async () => {
    const { admin } = await withBase({ embedding_model_id: "vectors" });
    const refused = await admin.delete("/models/vectors");
    expect(refused).toMatchObject({ status: 409 });
    expect(refused.body.message).toContain("manuals");
    await admin.delete("/knowledge-bases/manuals");
    expect((await admin.delete("/models/vectors")).status).toBe(204);
  });

  test("is deleted also while agents are linked to it", async () => {
    const { admin } = await withBase();
    await admin.post("/knowledge-bases/manuals/agents/helper");
    const deleted = await admin.delete("/knowledge-bases/manuals");
    expect(deleted).toMatchObject({ status: 200, body: { status: "deleted" } });
    expect((await admin.delete("/knowledge-bases/manuals")).status).toBe(404);
    expect((await admin.get("/knowledge-bases/manuals")).status).toBe(404);
    expect((await admin.get("/agents/helper")).body.has_knowledge).toBe(false);
  });
});

describe("a link between an agent and a knowledge base", () => {
  test("is made and taken back as often as asked for", async () => {
    const { admin } = await withBase();
    const { id } = (await admin.get("/agents/helper")).body;
    for (const agent of ["helper", id]) {
      const linked = await admin.post(`/knowledge-bases/manuals/agents/${agent}`);
      expect(linked).toMatchObject({ status: 200, body: { status: "linked" } });
    }
    expect((await admin.get("/knowledge-bases/manuals")).body.linked_agents).toEqual(["helper"]);
    expect((await admin.get("/agents/helper")).body.has_knowledge).toBe(true);
    for (let time = 0; time < 2; time += 1) {
      const unlinked = await admin.delete("/knowledge-bases/manuals/agents/helper");
      expect(unlinked).toMatchObject({ status: 200, body: { status: "unlinked" } });
    }
    expect((await admin.get("/knowledge-bases/manuals")).body.linked_agents).toEqual([]);
  });

  test.each(["/knowledge-bases/manuals/agents/nobody", "/knowledge-bases/none/agents/helper"])(
    "is not made with what is not there: %s",
    async (path) => {
      const { admin } = await withBase();
      expect((await admin.post(path)).status).toBe(404);
      expect((await admin.delete(path)).status).toBe(404);
    },
  );

  test("goes with the agent", async () => {
    const { admin } = await withBase();
    await admin.post("/agents", { name: "other", knowledge_base_ids: ["manuals"] });
    expect((await admin.get("/knowledge-bases/manuals")).body.linked_agents).toEqual(["other"]);
    await admin.delete("/agents/other");
    expect((await admin.get("/knowledge-bases/manuals")).body.linked_agents).toEqual([]);
  });

  test("is replaced through the agent, by ids or names, and kept when it says nothing", async () => {
    const { admin, created } = await withBase();
    await admin.post("/knowledge-bases", { name: "second" });
    const set = (knowledge_base_ids?: string[]) =>
      admin.patch("/agents/helper", { knowledge_base_ids });
    expect((await set([created.body.id])).body.knowledge_base_ids).toEqual([created.body.id]);
    expect((await set()).body.knowledge_base_ids).toEqual([created.body.id]);
    await set(["second"]);
    expect((await admin.get("/knowledge-bases/manuals")).body.linked_agents).toEqual([]);
    expect((await set([UNKNOWN])).status).toBe(404);
    expect((await admin.get("/knowledge-bases/second")).body.linked_agents).toEqual(["helper"]);
    expect((await set([])).body).not.toHaveProperty("knowledge_base_ids");
  });
});

test.each([
  ["chat", 403, 403],
  ["agents:read", 200, 403],
  ["agents:write", 403, 201],
])("knowledge bases with the scope %s", async (scope, reads, writes) => {
  const app = await startChatApp();
  const caller = await app.as([scope]);
  expect((await caller.get("/knowledge-bases")).status).toBe(reads);
  expect((await caller.post("/knowledge-bases", { name: "one" })).status).toBe(writes);
});
