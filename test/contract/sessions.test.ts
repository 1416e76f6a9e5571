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

describe("the bounds of a session", () => {
  test("are what they say: metadata in bytes, a title in characters", async () => {
    const { admin } = await startChatApp();
    const metadata = (bytes: number) => ({ a: "x".repeat(bytes - '{"a":""}'.length) });
    const status = async (fields: object) => (await admin.post("/sessions", fields)).status;
    expect(await status({ metadata: metadata(16_384) })).toBe(201);
    expect(await status({ metadata: metadata(16_385) })).toBe(400);
    expect(await status({ metadata: { a: "ä".repeat(8_200) } })).toBe(400);
    expect(await status({ title: "x".repeat(256) })).toBe(201);
    expect(await status({ title: "x".repeat(257) })).toBe(400);
    expect(await status({ title: "" })).toBe(201);
  });

  test("of time are inclusive, to the second and to the day", async () => {
    const { admin } = await startChatApp();
    await admin.post("/sessions", {});
    const total = async (query: string) => (await admin.get(`/sessions?${query}`)).body.total;
    const at = "2026-03-01T12:00:00Z";
    expect(await total(`from=${at}&to=${at}`)).toBe(1);
    expect(await total("from=2026-03-01&to=2026-03-01")).toBe(1);
    expect(await total("from=2026-03-01T14:00:00%2B02:00")).toBe(1);
    expect(await total("from=2026-03-01T12:00:01Z")).toBe(0);
    expect(await total("to=2026-03-01T11:59:59Z")).toBe(0);
    expect(await total("from=2026-03-02&to=2026-03-01")).toBe(0);
  });

  test("are not those of a null or of an empty id: both are nothing said", async () => {
    const { admin } = await startChatApp([{ text: "Hi." }]);
    const nulls = { title: null, schema_id: null, user_sub: null, metadata: null };
    const created = await admin.post("/sessions", { id: "", ...nulls });
    expect(created).toMatchObject({ status: 201, body: { status: "active", metadata: {} } });
    const path = `/sessions/${created.body.id}`;
    await admin.put(path, { title: "T", metadata: { a: 1 } });
    expect((await admin.put(path, { ...nulls, status: null })).body).toMatchObject({
      title: "T",
      metadata: { a: 1 },
    });
    const chat = { message: "hi", session_id: "", resume_interrupt: null, stream: false };
    expect((await admin.post("/schemas/support/chat", chat)).body.message).toBe("Hi.");
  });

  test("let an id be written in upper case", async () => {
    const { admin } = await startChatApp();
    const id = "ABCDEF66-6666-4666-8666-666666666666";
    expect((await admin.post("/sessions", { id })).body.id).toBe(id.toLowerCase());
    expect((await admin.post("/sessions", { id: id.toLowerCase() })).status).toBe(409);
    expect((await admin.get(`/sessions/${id}`)).status).toBe(200);
    expect((await admin.get(`/sessions/${id}/messages`)).body).toEqual([]);
  });
});

describe("a session request is refused", () => {
  test.each([
    ["an id that is no UUID", "get", "/sessions/7", undefined, 400],
    ["messages of an id that is no UUID", "get", "/sessions/7/messages", undefined, 400],
    ["an unknown id", "get", `/sessions/${UUID}`, undefined, 404],
    ["a change of an unknown id", "put", `/sessions/${UUID}`, { title: "x" }, 404],
    ["a deletion of an unknown id", "delete", `/sessions/${UUID}`, undefined, 404],
    ["a deletion of no UUID", "delete", "/sessions/7", undefined, 400],
    ["a new id that is no UUID", "post", "/sessions", { id: "7" }, 400],
    ["a title that is no text", "post", "/sessions", { title: 7 }, 400],
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
