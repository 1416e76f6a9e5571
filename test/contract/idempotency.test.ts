import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Caller } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { deltaText, eventNames, type Frame } from "../support/sse.ts";
import { ask, read } from "../support/turns.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const withForm = { tools: ["show_structured_output"] };

const send = (caller: Caller, body: object, key = "key-1") =>
  caller.open("/schemas/support/chat", body, { "Idempotency-Key": key });

/** What is durable of a turn: a finished one is told again without its pieces. */
const durable = (frames: readonly Frame[]) =>
  frames.filter(({ event }) => event !== "message_delta");

describe("a request that is sent again with its key", () => {
  test("joins the turn that still runs and gets what was said so far in one piece", async () => {
    const { admin, model, store } = await startChatApp([{ text: "A long answer", hold: true }]);
    const first = await send(admin, { message: "hi" });
    await model.held();
    const second = await send(admin, { message: "hi" });
    expect(second.headers.get("X-Session-Id")).toBe(first.headers.get("X-Session-Id"));
    expect(second.headers.get("X-Resume-Id")).toBe(first.headers.get("X-Resume-Id"));
    model.release();
    const [one, other] = [await read(first), await read(second)];
    expect(deltaText(other.frames)).toBe(deltaText(one.frames));
    expect(durable(other.frames)).toEqual(durable(one.frames));
    expect(model.calls).toHaveLength(1);
    expect(await store.read.sessions.count({})).toBe(1);
  });

  test("joins a turn that is over", async () => {
    const { admin, model } = await startChatApp([{ text: "Once only." }]);
    const one = await read(await send(admin, { message: "hi" }));
    const other = await read(await send(admin, { message: "hi" }));
    expect(other.session_id).toBe(one.session_id);
    expect(durable(other.frames)).toEqual(durable(one.frames));
    expect(eventNames(other.frames)).toEqual(["message", "done"]);
    expect(model.calls).toHaveLength(1);
  });

  test("joins the turn it was sent for, whatever came before and after", async () => {
    const { admin } = await startChatApp([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const { session_id } = await ask(admin, { message: "1" });
    await read(await send(admin, { message: "2", session_id }));
    await ask(admin, { message: "3", session_id });
    const again = await read(await send(admin, { message: "2", session_id }));
    expect(again.one("message").content).toBe("two");
    expect(eventNames(again.frames).at(-1)).toBe("done");
  });

  test("joins a turn that failed, and is told so", async () => {
    const { admin } = await startChatApp([{ fail: new Error("the model is down") }]);
    const one = await read(await send(admin, { message: "hi" }));
    expect(eventNames(one.frames)).toEqual(["error"]);
    const other = await read(await send(admin, { message: "hi" }));
    expect(other.frames).toEqual(one.frames);
  });

  test("joins a turn that waits for the one before it", async () => {
    const { admin, model } = await startChatApp([{ text: "first", hold: true }]);
    const running = await admin.open("/schemas/support/chat", { message: "1" });
    await model.held();
    const session_id = running.headers.get("X-Session-Id");
    model.script({ text: "second" });
    const queued = await send(admin, { message: "2", session_id });
    const again = await send(admin, { message: "2", session_id });
    model.release();
    await running.text();
    expect((await read(queued)).one("message").content).toBe("second");
    expect((await read(again)).one("message").content).toBe("second");
    expect(model.calls).toHaveLength(2);
  });

  test("of several at the same time, one begins the turn", async () => {
    const { admin, model } = await startChatApp([{ text: "Once only." }]);
    const responses = await Promise.all([1, 2, 3].map(() => send(admin, { message: "hi" })));
    const answers = await Promise.all(responses.map(read));
    expect(answers.map(({ one }) => one("message").content)).toEqual(Array(3).fill("Once only."));
    expect(model.calls).toHaveLength(1);
  });

  test("gets a collected answer again, too", async () => {
    const { admin, model } = await startChatApp([{ text: "Once only." }]);
    const body = { message: "hi", stream: false };
    const one = await (await send(admin, body)).json();
    expect(one).toMatchObject({ message: "Once only." });
    expect(await (await send(admin, body)).json()).toEqual(one);
    expect(model.calls).toHaveLength(1);
  });

  test("joins the resumed part of a turn that paused", async () => {
    const block = { output_type: "info", title: "Go on?" };
    const form = { id: "f1", tool: "show_structured_output", input: block };
    const { admin, model } = await startChatApp([{ calls: [form] }, { text: "Done." }], withForm);
    const asked = await read(await send(admin, { message: "go" }, "asks"));
    const { interrupt_id } = asked.one("interrupt_request");
    const resume_interrupt = { interrupt_id, payload: "yes" };
    const body = { session_id: asked.session_id, resume_interrupt };
    const one = await read(await send(admin, body, "answers"));
    const other = await read(await send(admin, body, "answers"));
    expect(eventNames(durable(other.frames))).toEqual(["interrupt_resume", "message", "done"]);
    expect(durable(other.frames)).toEqual(durable(one.frames));
    const first = await read(await send(admin, { message: "go" }, "asks"));
    expect(first.frames).toEqual(asked.frames);
    expect(model.calls).toHaveLength(2);
  });

  test("joins although the turn itself used up the limit", async () => {
    const { admin } = await startChatApp([{ text: "Once only." }]);
    const limit = { scope: "tenant", unit: "turns", limit_value: 1, interval_seconds: 3_600 };
    await admin.put("/admin/usage-limits", limit);
    await read(await send(admin, { message: "hi" }));
    const again = await send(admin, { message: "hi" });
    expect(again.status).toBe(200);
    expect((await read(again)).one("message").content).toBe("Once only.");
  });
});

describe("a key", () => {
  test.each([
    ["another message", { message: "bye" }],
    ["another session", { message: "hi", session_id: "44444444-4444-4444-8444-444444444444" }],
    ["another way to answer", { message: "hi", stream: false }],
    ["another visitor", { message: "hi", user_sub: "v2" }],
  ])("can't be used for %s", async (_what, body) => {
    const { admin, model } = await startChatApp([{ text: "Once only." }]);
    await read(await send(admin, { message: "hi" }));
    const refused = await send(admin, body);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: "conflict" });
    expect(model.calls).toHaveLength(1);
  });

  test("is its caller's alone", async () => {
    const { asUser, as, model } = await startChatApp([]);
    const callers = [await asUser("ann"), await asUser("bob"), await as(["chat"])];
    const sessions = new Set<string>();
    for (const caller of callers) {
      model.script({ text: "Hi." });
      sessions.add((await read(await send(caller, { message: "hi" }))).session_id);
    }
    expect(sessions.size).toBe(3);
  });

  test("of one schema can't be used in another", async () => {
    const { admin } = await startChatApp([{ text: "one" }, { text: "two" }]);
    await admin.post("/schemas", { name: "other", entry_agent_id: "helper", chat_enabled: true });
    await read(await send(admin, { message: "hi" }));
    const headers = { "Idempotency-Key": "key-1" };
    const refused = await admin.open("/schemas/other/chat", { message: "hi" }, headers);
    expect(refused.status).toBe(409);
  });

  test.each([
    ["too long", "x".repeat(256), 400],
    ["as long as it may be", "x".repeat(255), 200],
    ["empty", "", 400],
  ])("that is %s", async (_what, key, status) => {
    const { admin } = await startChatApp([{ text: "Hi." }]);
    const response = await send(admin, { message: "hi" }, key);
    expect(response.status).toBe(status);
    await response.text();
  });

  test("of a request that was refused can be used again", async () => {
    const { admin } = await startChatApp([{ text: "Hi." }]);
    await admin.patch("/schemas/support", { chat_enabled: false });
    expect((await send(admin, { message: "hi" })).status).toBe(404);
    await admin.patch("/schemas/support", { chat_enabled: true });
    expect((await read(await send(admin, { message: "hi" }))).one("message").content).toBe("Hi.");
  });

  test("is forgotten after a day, and with its session", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await startChatApp([{ text: "one" }, { text: "two" }, { text: "three" }]);
    const widget = await app.as(["chat"]);
    const say = async () => (await read(await send(widget, { message: "hi" }))).one("message");
    expect(await say()).toEqual({ content: "one" });
    app.clock.pass(DAY_MS);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    await app.store.write(async () => undefined);
    expect(await say()).toEqual({ content: "one" });
    app.clock.pass(1);
    await vi.advanceTimersByTimeAsync(HOUR_MS);
    await app.store.write(async () => undefined);
    expect(await say()).toEqual({ content: "two" });
    const writer = await app.as(["admin"]);
    for (const { id } of (await writer.get("/sessions")).body.data) {
      await writer.delete(`/sessions/${id}`);
    }
    expect(await say()).toEqual({ content: "three" });
  });
});
