import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EngineError } from "#engine/kernel/error.ts";
import { startChatApp } from "../support/chat.ts";
import { deltaText, eventNames, parseFrames } from "../support/sse.ts";

describe("a streaming turn", () => {
  test("sends the deltas, then the whole message, then done with the session", async () => {
    const { admin } = await startChatApp([
      { text: "Good morning to you", usage: { prompt: 12, completion: 4 } },
    ]);
    const answer = await admin.post("/schemas/support/chat", { message: "hi" });

    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toBe("text/event-stream");
    expect(answer.headers.get("X-Accel-Buffering")).toBe("no");
    expect(answer.text.startsWith(": ok\n\n")).toBe(true);
    const frames = parseFrames(answer.text);
    expect(eventNames(frames)).toEqual([
      ...Array.from({ length: 4 }, () => "message_delta"),
      "message",
      "done",
    ]);
    expect(deltaText(frames)).toBe("Good morning to you");
    expect(frames.at(-2)?.data).toEqual({ content: "Good morning to you" });
    expect(frames.at(-1)?.data).toEqual({
      session_id: answer.headers.get("X-Session-Id"),
      prompt_tokens: 12,
      completion_tokens: 4,
      total_tokens: 16,
      context_tokens: 12,
    });
  });

  test("gives every frame an id that grows", async () => {
    const { admin } = await startChatApp([{ text: "one two" }, { text: "three" }]);
    const first = await admin.post("/schemas/support/chat", { message: "hi" });
    const session_id = first.headers.get("X-Session-Id");
    const second = await admin.post("/schemas/support/chat", { message: "more", session_id });

    const ids = [...parseFrames(first.text), ...parseFrames(second.text)].map(({ id }) =>
      Number(id),
    );
    expect(ids.every(Number.isSafeInteger)).toBe(true);
    expect(ids).toEqual([...new Set(ids)].sort((left, right) => left - right));
  });

  test("streams reasoning as thinking and keeps it for the provider", async () => {
    const { admin, model } = await startChatApp([
      { reasoning: "Hmm.", text: "Yes." },
      { text: "Again." },
    ]);
    const first = await admin.post("/schemas/support/chat", { message: "well?" });
    expect(eventNames(parseFrames(first.text))).toEqual([
      "thinking",
      "message_delta",
      "message",
      "done",
    ]);

    const session_id = first.headers.get("X-Session-Id");
    await admin.post("/schemas/support/chat", { message: "again", session_id });
    expect(model.calls[1]?.prompt).toContainEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hmm.", providerOptions: { test: { signature: "s1" } } },
        { type: "text", text: "Yes." },
      ],
    });
  });

  test("a model text can't forge a frame", async () => {
    const evil = "a\n\nevent: done\ndata: {}\n\n\r\u2028b";
    const { admin } = await startChatApp([{ text: evil }]);
    const frames = parseFrames((await admin.post("/schemas/support/chat", { message: "hi" })).text);
    expect(deltaText(frames)).toBe(evil);
    expect(frames.filter(({ event }) => event === "done")).toHaveLength(1);
  });
});

describe("a turn with tools", () => {
  const calls = [{ id: "c1", tool: "current_time", input: { time_zone: "Europe/Helsinki" } }];

  test("shows the call and its result, and lets the model go on", async () => {
    const { admin, model } = await startChatApp([{ calls }, { text: "It is noon." }], {
      tools: ["current_time"],
    });
    const frames = parseFrames(
      (await admin.post("/schemas/support/chat", { message: "time?" })).text,
    );

    expect(eventNames(frames)).toEqual([
      "tool_call",
      "tool_result",
      "message_delta",
      "message_delta",
      "message_delta",
      "message",
      "done",
    ]);
    expect(frames[0]?.data).toEqual({
      tool: "current_time",
      call_id: "c1",
      arguments: { time_zone: "Europe/Helsinki" },
      input: '{"time_zone":"Europe/Helsinki"}',
    });
    expect(frames[1]?.data).toMatchObject({
      tool: "current_time",
      call_id: "c1",
      has_error: false,
    });
    expect(frames[1]?.data.content).toContain("14:00:00");
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({ role: "tool" });
  });

  test.each([
    ["an unknown tool", { id: "c1", tool: "launch", input: {} }, 'there is no tool "launch"'],
    [
      "arguments that are not JSON",
      { id: "c1", tool: "current_time", input: "{oops" },
      "invalid arguments",
    ],
    [
      "arguments of the wrong shape",
      { id: "c1", tool: "current_time", input: { time_zone: 7 } },
      "invalid arguments",
    ],
    [
      "an unknown time zone",
      { id: "c1", tool: "current_time", input: { time_zone: "Moon" } },
      "unknown time zone",
    ],
  ])("%s becomes an error result that the model sees", async (_what, call, text) => {
    const { admin } = await startChatApp([{ calls: [call] }, { text: "Sorry." }], {
      tools: ["current_time"],
    });
    const frames = parseFrames((await admin.post("/schemas/support/chat", { message: "go" })).text);
    const result = frames.find(({ event }) => event === "tool_result");
    expect(result?.data.has_error).toBe(true);
    expect(result?.data.content).toContain(text);
    expect(frames.at(-1)?.event).toBe("done");
  });

  test("parallel calls with the same id are told apart", async () => {
    const twice = [calls[0], calls[0]].map((call) => ({
      ...call,
      id: "same",
      tool: "current_time",
      input: {},
    }));
    const { admin } = await startChatApp([{ calls: twice }, { text: "Done." }], {
      tools: ["current_time"],
      tool_execution: "parallel",
    });
    const frames = parseFrames((await admin.post("/schemas/support/chat", { message: "go" })).text);
    const results = frames.filter(({ event }) => event === "tool_result");
    expect(new Set(results.map(({ data }) => data.call_id)).size).toBe(2);
  });

  test("a run that used up its steps still ends with an answer", async () => {
    const { admin, model } = await startChatApp([{ calls }, { text: "Enough." }], {
      tools: ["current_time"],
      max_steps: 1,
    });
    const frames = parseFrames((await admin.post("/schemas/support/chat", { message: "go" })).text);
    expect(frames.at(-2)?.data.content).toBe("Enough.");
    expect(model.calls[1]?.tools).toBeUndefined();
  });

  test("a last step without a word is explained instead of silent", async () => {
    const { admin } = await startChatApp([{ calls }, { calls }], {
      tools: ["current_time"],
      max_steps: 1,
    });
    const frames = parseFrames((await admin.post("/schemas/support/chat", { message: "go" })).text);
    expect(frames.at(-2)?.data.content).toContain("used up the steps");
    expect(deltaText(frames)).toBe(frames.at(-2)?.data.content);
    expect(frames.at(-1)?.event).toBe("done");
  });
});

describe("a non-streaming turn", () => {
  test("is one JSON answer with the tool calls", async () => {
    const calls = [{ id: "c1", tool: "current_time", input: { time_zone: "UTC" } }];
    const { admin } = await startChatApp([{ calls }, { text: "Noon." }], {
      tools: ["current_time"],
    });
    const { status, body, headers } = await admin.post("/schemas/support/chat", {
      message: "time?",
      stream: false,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ session_id: headers.get("X-Session-Id"), message: "Noon." });
    expect(body.schema_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.tool_calls).toEqual([
      {
        tool: "current_time",
        input: '{"time_zone":"UTC"}',
        output: expect.stringContaining("12:00:00"),
      },
    ]);
    expect(body).not.toHaveProperty("error");
  });

  test("a failed turn is a 200 that tells the error", async () => {
    const { admin } = await startChatApp([
      { fail: new EngineError("model_error", "the model is down") },
    ]);
    const { status, body } = await admin.post("/schemas/support/chat", {
      message: "hi",
      stream: false,
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ message: "the model is down", error: "the model is down" });
  });
});

describe("a turn that fails", () => {
  test("ends the stream with an error and no done, and the session stays usable", async () => {
    const { admin } = await startChatApp([
      { fail: new EngineError("model_error", "the model is down") },
      { text: "Back again." },
    ]);
    const failed = await admin.post("/schemas/support/chat", { message: "hi" });
    const frames = parseFrames(failed.text);
    expect(eventNames(frames)).toEqual(["error"]);
    expect(frames[0]?.data).toEqual({
      content: "the model is down",
      code: "model_error",
      message: "the model is down",
    });

    const session_id = failed.headers.get("X-Session-Id");
    expect((await admin.get(`/sessions/${session_id}`)).body.status).toBe("failed");
    const next = await admin.post("/schemas/support/chat", { message: "still there?", session_id });
    expect(parseFrames(next.text).at(-1)?.event).toBe("done");
    expect((await admin.get(`/sessions/${session_id}`)).body.status).toBe("completed");
  });

  test("an agent without a model says what to do", async () => {
    const { admin, store } = await startChatApp();
    const [agent] = await store.read.agents.list();
    await store.write(async (tx) => {
      await tx.agents.update(agent?.id ?? "", { model_id: undefined });
      await tx.models.delete(1);
    });
    const frames = parseFrames((await admin.post("/schemas/support/chat", { message: "hi" })).text);
    expect(frames.at(-1)).toMatchObject({ event: "error", data: { code: "model_error" } });
    expect(frames.at(-1)?.data.message).toContain('agent "helper" has no model');
  });
});

describe("a store that fails in a turn", () => {
  test("ends the stream, keeps what was acknowledged, and the turn is taken up again later", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const { admin, model, store, clock, failWrites } = await startChatApp([
      { text: "Half", hold: true },
    ]);
    const answer = await admin.open("/schemas/support/chat", { message: "hi" });
    await model.held();
    const session_id = answer.headers.get("X-Session-Id") ?? "";
    failWrites(true);
    model.release();
    const frames = parseFrames(await answer.text());
    expect(frames.at(-1)).toMatchObject({ event: "error", data: { code: "internal" } });

    failWrites(false);
    model.script({ text: "The whole." }, { text: "And more." });
    clock.pass(20_000);
    await vi.advanceTimersByTimeAsync(5_000);
    const next = await admin.post("/schemas/support/chat", { message: "more", session_id });
    expect(deltaText(parseFrames(next.text))).toBe("And more.");
    const events = await store.read.events.list(session_id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(
      events.flatMap((event) => (event.type === "assistant_message" ? event.payload.content : [])),
    ).toEqual(["The whole.", "And more."]);
  });
});

describe("stopping a turn", () => {
  test("keeps what was said and ends the stream", async () => {
    const { admin, model } = await startChatApp([
      { text: "Once upon", hold: true },
      { text: "Fine." },
    ]);
    const answer = await admin.open("/schemas/support/chat", { message: "tell a story" });
    await model.held();
    const session_id = answer.headers.get("X-Session-Id");
    expect((await admin.post(`/sessions/${session_id}/cancel`)).body).toEqual({
      status: "cancelled",
    });

    const frames = parseFrames(await answer.text());
    expect(frames.at(-1)).toMatchObject({ event: "error", data: { code: "cancelled" } });
    const messages = (await admin.get(`/sessions/${session_id}/messages`)).body;
    expect(messages.map(({ payload }: { payload: unknown }) => payload)).toEqual([
      { content: "tell a story" },
      { content: "Once upon" },
    ]);
    expect((await admin.post(`/sessions/${session_id}/cancel`)).body).toEqual({ status: "idle" });
    const next = await admin.post("/schemas/support/chat", { message: "go on", session_id });
    expect(deltaText(parseFrames(next.text))).toBe("Fine.");
  });
});

describe("a turn that runs out of time", () => {
  test("ends with what was said and an explanation, not with an error", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { admin, model } = await startChatApp([{ text: "Half of it", hold: true }], {
      max_turn_duration: 30,
    });
    const answer = await admin.open("/schemas/support/chat", { message: "take your time" });
    await model.held();
    await vi.advanceTimersByTimeAsync(30_000);
    const frames = parseFrames(await answer.text());
    expect(frames.at(-1)?.event).toBe("done");
    expect(deltaText(frames)).toMatch(/^Half of it.*ran out of the time/s);
    const { body } = await admin.get(`/sessions/${answer.headers.get("X-Session-Id")}`);
    expect(body.status).toBe("completed");
  });
});

describe("a model that hangs", () => {
  test("ends the turn with a timeout error", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { admin, model } = await startChatApp([{ text: "Half", hold: true }]);
    const answer = await admin.open("/schemas/support/chat", { message: "hi" });
    await model.held();
    await vi.advanceTimersByTimeAsync(60_000);
    const last = parseFrames(await answer.text()).at(-1);
    expect(last).toMatchObject({ event: "error", data: { code: "timeout" } });
    expect(last?.data.message).toBe("the model said nothing for 60 seconds");
  });

  test("ends with an explanation when its agent limits the silence of a step", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { admin, model } = await startChatApp([{ text: "Half", hold: true }], {
      max_step_duration: 10,
    });
    const answer = await admin.open("/schemas/support/chat", { message: "hi" });
    await model.held();
    await vi.advanceTimersByTimeAsync(10_000);
    const frames = parseFrames(await answer.text());
    expect(deltaText(frames)).toMatch(/^Half.*ran out of the time/s);
    expect(frames.at(-1)?.event).toBe("done");
  });
});

describe("the client goes away", () => {
  test("the turn goes on and its answer is kept", async () => {
    const { admin, model } = await startChatApp([{ text: "A long answer", hold: true }]);
    const response = await admin.open("/schemas/support/chat", { message: "hi" });
    await model.held();
    await response.body?.cancel();
    const session_id = response.headers.get("X-Session-Id");
    model.release();
    // A second message waits for the first one's turn.
    model.script({ text: "Second." });
    await admin.post("/schemas/support/chat", { message: "and?", session_id, stream: false });
    const messages = (await admin.get(`/sessions/${session_id}/messages`)).body;
    expect(
      messages.map(({ payload }: { payload: { content: string } }) => payload.content),
    ).toEqual(["hi", "A long answer", "and?", "Second."]);
  });
});

describe("messages while a turn runs", () => {
  test("wait in order, at most ten, then are refused", async () => {
    const { admin, model, store } = await startChatApp([{ text: "first", hold: true }]);
    const session_id = "11111111-1111-4111-8111-111111111111";
    const answers = [await admin.open("/schemas/support/chat", { message: "m0", session_id })];
    await model.held();
    for (let index = 1; index <= 10; index += 1) {
      model.script({ text: `answer ${index}` });
      answers.push(await admin.open("/schemas/support/chat", { message: `m${index}`, session_id }));
    }
    const refused = await admin.post("/schemas/support/chat", { message: "m11", session_id });
    expect(refused).toMatchObject({ status: 409, body: { error: "conflict" } });

    model.release();
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    expect(texts.map((text) => deltaText(parseFrames(text)))).toEqual([
      "first",
      ...Array.from({ length: 10 }, (_, index) => `answer ${index + 1}`),
    ]);
    const events = await store.read.events.list(session_id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  test("many sessions run at once", async () => {
    const { admin, model } = await startChatApp();
    model.script(...Array.from({ length: 16 }, () => ({ text: "same for all" })));
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => admin.post("/schemas/support/chat", { message: "hi" })),
    );
    expect(answers.map(({ text }) => deltaText(parseFrames(text)))).toEqual(
      Array(16).fill("same for all"),
    );
    expect(new Set(answers.map(({ headers }) => headers.get("X-Session-Id"))).size).toBe(16);
  });
});

describe("a chat request is refused", () => {
  const uuid = "22222222-2222-4222-8222-222222222222";

  test.each([
    ["an unknown schema", "nowhere", { message: "hi" }, 404, "not_found"],
    ["a schema without chat", "closed", { message: "hi" }, 404, "not_found"],
    ["a schema without entry agent", "headless", { message: "hi" }, 400, "bad_request"],
    ["a malformed schema name", "Bad_Name", { message: "hi" }, 400, "bad_request"],
    ["neither message nor resume", "support", {}, 400, "bad_request"],
    ["an empty message", "support", { message: "" }, 400, "bad_request"],
    [
      "both message and resume",
      "support",
      { message: "a", resume_interrupt: { interrupt_id: uuid } },
      400,
      "bad_request",
    ],
    [
      "a resume without session",
      "support",
      { resume_interrupt: { interrupt_id: uuid } },
      400,
      "bad_request",
    ],
    [
      "a resume of nothing",
      "support",
      { session_id: uuid, resume_interrupt: { interrupt_id: uuid } },
      404,
      "not_found",
    ],
    [
      "a session id that is no UUID",
      "support",
      { message: "hi", session_id: "7" },
      400,
      "bad_request",
    ],
    ["a message that is no text", "support", { message: { a: 1 } }, 400, "bad_request"],
    ["a body that is no JSON", "support", "{message", 400, "bad_request"],
    ["a body that is no object", "support", "[1]", 400, "bad_request"],
    ["a body over 1 MB", "support", { message: "x".repeat(1_048_577) }, 400, "bad_request"],
  ])("%s", async (_what, name, body, status, error) => {
    const { admin, store } = await startChatApp();
    await admin.post("/schemas", { name: "closed", entry_agent_id: "helper" });
    await admin.post("/schemas", { name: "headless", chat_enabled: true });
    const answer = await admin.post(`/schemas/${name}/chat`, body);
    expect(answer).toMatchObject({ status, body: { error, message: expect.any(String) } });
    expect(await store.read.sessions.count({})).toBe(0);
  });

  test("a session of another schema is not found", async () => {
    const { admin } = await startChatApp([{ text: "hi" }]);
    await admin.post("/schemas", { name: "other", entry_agent_id: "helper", chat_enabled: true });
    const first = await admin.post("/schemas/support/chat", { message: "hi" });
    const session_id = first.headers.get("X-Session-Id");
    expect(await admin.post("/schemas/other/chat", { message: "hi", session_id })).toMatchObject({
      status: 404,
    });
  });
});

describe("whose session it is", () => {
  test("an end user can't reach another's session, nor learn that it exists", async () => {
    const { asUser, admin } = await startChatApp([{ text: "for ann" }, { text: "again" }]);
    const ann = await asUser("ann");
    const bob = await asUser("bob");
    const session_id = (await ann.post("/schemas/support/chat", { message: "hi" })).headers.get(
      "X-Session-Id",
    );
    const missing = "33333333-3333-4333-8333-333333333333";

    for (const id of [session_id, missing]) {
      expect(
        await bob.post("/schemas/support/chat", { message: "hi", session_id: id ?? "" }),
      ).toMatchObject(id === missing ? { status: 200 } : { status: 404 });
    }
    expect((await bob.get(`/sessions/${session_id}`)).status).toBe(404);
    expect((await bob.get(`/sessions/${session_id}/messages`)).status).toBe(404);
    expect((await bob.post(`/sessions/${session_id}/cancel`)).status).toBe(404);
    expect((await ann.get(`/sessions/${session_id}`)).body.user_sub).toBe("ann");
    expect((await admin.get(`/sessions/${session_id}`)).status).toBe(200);
    expect(
      (await ann.get("/sessions?user_sub=bob")).body.data.map(({ id }: { id: string }) => id),
    ).toEqual([session_id]);
  });

  test("a token's visitors live in its own namespace", async () => {
    const { as, admin } = await startChatApp([{ text: "a" }, { text: "b" }]);
    const widget = await as(["chat"]);
    const named = await widget.post("/schemas/support/chat", {
      message: "hi",
      user_sub: "visitor-1",
    });
    const odd = await widget.post("/schemas/support/chat", {
      message: "hi",
      user_sub: "no spaces allowed",
    });
    const userOf = async (answer: { headers: Headers }) =>
      (await admin.get(`/sessions/${answer.headers.get("X-Session-Id")}`)).body.user_sub;
    expect(await userOf(named)).toMatch(/^test-chat-[\d.]+:visitor-1$/);
    expect(await userOf(odd)).toMatch(/^test-chat-[\d.]+$/);
  });
});
