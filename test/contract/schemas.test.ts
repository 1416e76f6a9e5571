import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";

describe("a schema", () => {
  test("shows its entry agent and its members", async () => {
    const { admin } = await startChatApp();
    const { body } = await admin.get("/schemas/support");
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "support",
      agents: ["helper"],
      entry_agent_name: "helper",
      agents_count: 1,
      chat_enabled: true,
      created_at: "2026-03-01T12:00:00Z",
    });
    expect((await admin.get("/schemas/support/agents")).body).toEqual(["helper"]);
    expect((await admin.get("/schemas")).body).toEqual([body]);
  });

  test("has chat off and no members until told otherwise", async () => {
    const { admin } = await startChatApp();
    const { status, body } = await admin.post("/schemas", {
      name: "empty",
      description: "Nothing yet",
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      chat_enabled: false,
      agents: [],
      agents_count: 0,
      description: "Nothing yet",
    });
  });

  test.each(["put", "patch"] as const)(
    "keeps by %s what is not named, and answers without a body",
    async (method) => {
      const { admin } = await startChatApp();
      const { status, text } = await admin[method]("/schemas/support", {
        name: "support",
        description: "New",
      });
      expect([status, text]).toEqual([204, ""]);
      expect((await admin.get("/schemas/support")).body).toMatchObject({
        description: "New",
        chat_enabled: true,
        entry_agent_name: "helper",
      });
      await admin[method]("/schemas/support", { name: "support", entry_agent_id: "" });
      expect((await admin.get("/schemas/support")).body.agents).toEqual([]);
    },
  );

  test("takes its entry agent by name or id, and only an existing one", async () => {
    const { admin } = await startChatApp();
    const { id } = (await admin.post("/agents", { name: "clerk" })).body;
    for (const entry_agent_id of [id, id.toUpperCase(), "clerk"]) {
      await admin.patch("/schemas/support", { entry_agent_id: "" });
      const { status } = await admin.patch("/schemas/support", { entry_agent_id });
      expect(status).toBe(204);
      expect((await admin.get("/schemas/support")).body.entry_agent_name).toBe("clerk");
    }
    expect((await admin.patch("/schemas/support", { entry_agent_id: "nobody" })).status).toBe(400);
    await admin.patch("/schemas/support", { entry_agent_id: null, description: null });
    expect((await admin.get("/schemas/support")).body.entry_agent_name).toBe("clerk");
  });

  test("is reached by its name alone", async () => {
    const { admin } = await startChatApp();
    const { id } = (await admin.get("/schemas/support")).body;
    expect((await admin.get(`/schemas/${id}`)).status).toBe(400);
    for (const method of ["put", "patch", "delete"] as const) {
      const body = method === "delete" ? undefined : { name: "unknown" };
      expect((await admin[method]("/schemas/unknown", body)).status).toBe(404);
      expect((await admin[method]("/schemas/Bad_Name", body)).status).toBe(400);
    }
    for (const part of ["agents", "agent-relations", "memory"]) {
      expect((await admin.get(`/schemas/unknown/${part}`)).status).toBe(404);
      expect((await admin.get(`/schemas/Bad_Name/${part}`)).status).toBe(400);
    }
  });

  test("tells when it was last chatted with", async () => {
    const { admin } = await startChatApp([{ text: "hi" }]);
    expect((await admin.get("/schemas/support")).body).not.toHaveProperty("chat_last_fired_at");
    await admin.post("/schemas/support/chat", { message: "hi", stream: false });
    const { chat_last_fired_at } = (await admin.get("/schemas/support")).body;
    expect(chat_last_fired_at).toBe("2026-03-01T12:00:00Z");
  });

  test("keeps its name for ever", async () => {
    const { admin } = await startChatApp();
    for (const method of ["put", "patch"] as const) {
      expect(await admin[method]("/schemas/support", { name: "other" })).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining("immutable") },
      });
    }
    expect(await admin.put("/schemas/support", { description: "x" })).toMatchObject({
      status: 400,
      body: { message: "name: is required" },
    });
  });

  test("with sessions can't be deleted", async () => {
    const { admin } = await startChatApp([{ text: "hi" }]);
    const chat = await admin.post("/schemas/support/chat", { message: "hi" });
    const refused = await admin.delete("/schemas/support");
    expect(refused).toMatchObject({ status: 409, body: { error: "conflict" } });
    expect(refused.text).not.toMatch(/sqlite|foreign|constraint/i);
    await admin.delete(`/sessions/${chat.headers.get("X-Session-Id")}`);
    expect((await admin.delete("/schemas/support")).status).toBe(204);
    expect((await admin.get("/schemas/support")).status).toBe(404);
  });

  test.each([
    ["a malformed name", { name: "Bad_Name" }, 400],
    ["a reserved name", { name: "chat" }, 400],
    ["no name", {}, 400],
    ["an unknown entry agent", { name: "a", entry_agent_id: "nobody" }, 400],
    ["a taken name", { name: "support" }, 409],
  ])("is refused with %s", async (_what, body, status) => {
    const { admin, store } = await startChatApp();
    expect((await admin.post("/schemas", body)).status).toBe(status);
    expect(await store.read.schemas.list()).toHaveLength(1);
  });

  test("asked for by a malformed name is a bad request, not an unknown one", async () => {
    const { admin } = await startChatApp();
    expect((await admin.get("/schemas/Bad_Name")).status).toBe(400);
    expect((await admin.get("/schemas/unknown")).status).toBe(404);
  });
});
