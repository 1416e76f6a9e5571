import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";

const UUID = "66666666-6666-4666-8666-666666666666";

describe("a session", () => {
  test("is created, read, changed and deleted", async () => {
    const { admin, clock } = await startChatApp();
    const created = await admin.post("/sessions", {
      id: UUID,
      title: "Parcel",
      schema_id: "support",
      user_sub: "ann",
      metadata: { a: 1 },
    });
    expect(created.status).toBe(201);
    expect(created.body).toEqual({
      id: UUID,
      title: "Parcel",
      schema_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      user_sub: "ann",
      status: "active",
      metadata: { a: 1 },
      created_at: "2026-03-01T12:00:00Z",
      updated_at: "2026-03-01T12:00:00Z",
    });
    clock.pass(60_000);
    expect((await admin.put(`/sessions/${UUID}`, {})).body).toEqual(created.body);
    const changed = await admin.put(`/sessions/${UUID}`, { status: "expired", metadata: { b: 2 } });
    expect(changed.body).toMatchObject({
      title: "Parcel",
      status: "expired",
      metadata: { b: 2 },
      updated_at: "2026-03-01T12:01:00Z",
    });
    expect((await admin.get(`/sessions/${UUID}`)).body).toEqual({ ...changed.body, events: [] });
    expect((await admin.delete(`/sessions/${UUID}`)).status).toBe(204);
    expect((await admin.get(`/sessions/${UUID}`)).status).toBe(404);
    expect((await admin.get(`/sessions/${UUID}/messages`)).status).toBe(404);
  });

  test("needs nothing to be created", async () => {
    const { admin } = await startChatApp();
    expect(await admin.post("/sessions", {})).toMatchObject({
      status: 201,
      body: { status: "active", metadata: {} },
    });
  });

  test("keeps its events in the public form", async () => {
    const calls = [{ id: "c1", tool: "current_time", input: { time_zone: "UTC" } }];
    const { admin } = await startChatApp([{ reasoning: "Hm.", calls }, { text: "Noon." }], {
      tools: ["current_time"],
    });
    const chat = await admin.post("/schemas/support/chat", { message: "What time is it?" });
    const session_id = chat.headers.get("X-Session-Id");
    const { body } = await admin.get(`/sessions/${session_id}/messages`);
    expect(
      body.map(({ event_type, call_id, payload }: Record<string, unknown>) => [
        event_type,
        call_id,
        payload,
      ]),
    ).toEqual([
      ["user_message", undefined, { content: "What time is it?" }],
      ["reasoning", undefined, { content: "Hm." }],
      ["tool_call", "c1", { tool: "current_time", arguments: { time_zone: "UTC" } }],
      ["tool_result", "c1", { tool: "current_time", content: expect.stringContaining("12:00:00") }],
      ["assistant_message", undefined, { content: "Noon." }],
    ]);
    expect(body[0]).toMatchObject({
      id: expect.any(String),
      agent_id: expect.any(String),
      created_at: "2026-03-01T12:00:00Z",
    });
    const session = (await admin.get(`/sessions/${session_id}`)).body;
    expect(session.events).toEqual(body);
    expect(session).toMatchObject({ title: "What time is it?", status: "completed" });
  });

  test("whose turn runs is stopped before it is deleted", async () => {
    const { admin, model, store } = await startChatApp([{ text: "Once", hold: true }]);
    const answer = await admin.open("/schemas/support/chat", { message: "tell" });
    await model.held();
    const session_id = answer.headers.get("X-Session-Id") ?? "";
    expect((await admin.delete(`/sessions/${session_id}`)).status).toBe(204);
    await answer.text();
    expect(await store.read.events.list(session_id)).toEqual([]);
    expect(await store.read.jobs.countByKey(`session:${session_id}`)).toBe(0);
  });
});

describe("the list of sessions", () => {
  test("comes in pages and takes nonsense for the default", async () => {
    const { admin } = await startChatApp();
    for (let index = 0; index < 3; index += 1) await admin.post("/sessions", {});
    const page = async (query: string) => (await admin.get(`/sessions${query}`)).body;
    expect(await page("")).toMatchObject({
      total: 3,
      page: 1,
      per_page: 20,
      per_page_max: 100,
      total_pages: 1,
    });
    expect(await page("?per_page=2&page=2")).toMatchObject({
      data: [{}],
      page: 2,
      per_page: 2,
      total_pages: 2,
    });
    expect(await page("?per_page=1000")).toMatchObject({ per_page: 100 });
    for (const query of [
      "?page=-1&per_page=0",
      "?page=x&per_page=NaN",
      "?page=1e999",
      "?page=1.5",
    ]) {
      expect(await page(query)).toMatchObject({ total: 3, page: 1, per_page: 20 });
    }
    expect(await page("?page=99999999999999")).toMatchObject({ data: [] });
  });

  test("is filtered by user, status and day, and by agent not at all", async () => {
    const { as, clock } = await startChatApp();
    await (await as("admin")).post("/sessions", { user_sub: "ann" });
    clock.pass(86_400_000);
    const admin = await as("admin");
    await admin.post("/sessions", { user_sub: "bob" });
    const users = async (query: string) =>
      (await admin.get(`/sessions?${query}`)).body.data.map(
        ({ user_sub }: { user_sub: string }) => user_sub,
      );
    expect(await users("user_sub=ann")).toEqual(["ann"]);
    expect(await users("status=completed")).toEqual([]);
    expect(await users("status=&user_sub=")).toEqual(await users(""));
    expect(await users("from=2026-03-02")).toEqual(["bob"]);
    expect(await users("to=2026-03-01")).toEqual(["ann"]);
    expect(await users("agent_name=whoever&agent=x&limit=1")).toEqual(["bob", "ann"]);
    expect((await admin.get("/sessions?from=yesterday")).status).toBe(400);
  });
});

describe("a session request is refused", () => {
  test.each([
    ["an id that is no UUID", "get", "/sessions/7", undefined, 400],
    ["messages of an id that is no UUID", "get", "/sessions/7/messages", undefined, 400],
    ["an unknown id", "get", `/sessions/${UUID}`, undefined, 404],
    ["an unknown status", "put", "/sessions/there", { status: "asleep" }, 400],
    ["metadata over 16 KB", "put", "/sessions/there", { metadata: { a: "x".repeat(16_384) } }, 400],
    ["metadata that is no object", "put", "/sessions/there", { metadata: [1] }, 400],
    ["a duplicate id", "post", "/sessions", { id: "there" }, 409],
    ["an unknown schema", "post", "/sessions", { schema_id: "nowhere" }, 400],
  ] as const)("%s", async (_what, method, path, body, status) => {
    const { admin } = await startChatApp();
    await admin.post("/sessions", { id: UUID.replaceAll("6", "7") });
    const there = UUID.replaceAll("6", "7");
    const text = body && JSON.stringify(body).replace('"there"', `"${there}"`);
    expect((await admin[method](path.replace("there", there), text)).status).toBe(status);
  });
});
