import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startChatApp } from "../support/chat.ts";
import { eventNames } from "../support/sse.ts";
import { addColleague, ask, frameOf, read } from "../support/turns.ts";

const input = { time_zone: "Europe/Helsinki" };
const calls = [{ id: "c1", tool: "current_time", input }];
const gated = { tools: ["current_time"], confirm_before: ["current_time"] };
const approve = { call_id: "c1", answers: ["approve"] };

/** A turn that waits for the approval of `c1`. */
async function waiting(agent: object = gated, steps = [{ calls }, { text: "Done." }]) {
  const app = await startChatApp(steps, agent as Record<string, unknown>);
  const response = await app.admin.open("/schemas/support/chat", { message: "time?" });
  const session_id = response.headers.get("X-Session-Id") ?? "";
  const { data } = await frameOf(app, session_id, "confirmation");
  return {
    ...app,
    response,
    session_id,
    confirmation: data,
    respond: `/sessions/${session_id}/respond`,
  };
}

describe("a tool that needs approval", () => {
  test("asks with the exact arguments and runs once it is approved", async () => {
    const { admin, response, session_id, confirmation, respond } = await waiting();
    expect(confirmation).toMatchObject({ call_id: "c1", tool: "current_time", session_id });
    expect(confirmation.content).toContain('{"time_zone":"Europe/Helsinki"}');

    expect(await admin.post(respond, approve)).toMatchObject({
      status: 200,
      body: { status: "ok" },
    });
    const { frames, one } = await read(response);
    expect(eventNames(frames)).toEqual([
      "tool_call",
      "confirmation",
      "tool_result",
      "message_delta",
      "message",
      "done",
    ]);
    expect(one("tool_result")).toMatchObject({ call_id: "c1", has_error: false });
  });

  test("does not run when it is rejected, and the model reads the reason", async () => {
    const { admin, model, response, respond } = await waiting();
    await admin.post(respond, { call_id: "c1", answers: ["reject: not in my time zone"] });
    const { one } = await read(response);
    expect(one("tool_result")).toMatchObject({ has_error: true });
    expect(one("tool_result").content).toContain("not in my time zone");
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain("not in my time zone");
  });

  test.each(["reject", "no", "Deny", "cancelled", "CANCEL"])("%s rejects it", async (word) => {
    const { admin, response, respond } = await waiting();
    await admin.post(respond, { call_id: "c1", answers: [word] });
    expect((await read(response)).one("tool_result").has_error).toBe(true);
  });

  test("is not asked about when its arguments are wrong", async () => {
    const wrong = [{ id: "c1", tool: "current_time", input: { time_zone: 7 } }];
    const { admin } = await startChatApp([{ calls: wrong }, { text: "Sorry." }], gated);
    const { frames } = await ask(admin, { message: "time?" });
    expect(eventNames(frames)).not.toContain("confirmation");
  });

  test("is rejected when nobody answers in time, and the turn's own time stands still", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { admin, response, respond } = await waiting({ ...gated, max_turn_duration: 30 });
    await vi.advanceTimersByTimeAsync(600_000);
    const { frames, one } = await read(response);
    expect(one("tool_result").content).toContain("nobody answered in time");
    expect(frames.at(-1)?.event).toBe("done");
    expect((await admin.post(respond, approve)).status).toBe(409);
  });

  test("waits as long as the setting says", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await startChatApp([{ calls }, { text: "Done." }], gated);
    await app.admin.put("/settings/confirmation.timeout_seconds", { value: "5" });
    const response = await app.admin.open("/schemas/support/chat", { message: "time?" });
    await frameOf(app, response.headers.get("X-Session-Id") ?? "", "confirmation");
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await read(response)).one("tool_result").has_error).toBe(true);
  });

  test("can be stopped while it waits", async () => {
    const { admin, response, session_id, respond } = await waiting();
    await admin.post(`/sessions/${session_id}/cancel`);
    const { frames } = await read(response);
    expect(frames.at(-1)).toMatchObject({ event: "error", data: { code: "cancelled" } });
    expect((await admin.post(respond, approve)).status).toBe(409);
  });

  test("is asked about within a sub-agent, too", async () => {
    const spawn = [{ id: "s1", tool: "spawn_clerk", input: { description: "the time" } }];
    const app = await startChatApp([
      { calls: spawn },
      { calls },
      { text: "Noon." },
      { text: "It is noon." },
    ]);
    await addColleague(app, "clerk", gated);
    const response = await app.admin.open("/schemas/support/chat", { message: "time?" });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    const { data } = await frameOf(app, session_id, "confirmation");
    expect(data.content).toContain('"clerk"');
    await app.admin.post(`/sessions/${session_id}/respond`, approve);
    const { frames, one } = await read(response);
    expect(one("message").content).toBe("It is noon.");
    expect(eventNames(frames).filter((name) => name === "tool_result")).toHaveLength(1);
  });

  test.each([
    ["approve", "approve"],
    ["reject: not now", "reject: not now"],
    ["deny", "reject"],
  ])(
    "of a sub-agent is told as answered (%s) while the sub-agent still works",
    async (said, told) => {
      const spawn = [{ id: "s1", tool: "spawn_clerk", input: { description: "the time" } }];
      const app = await startChatApp([
        { calls: spawn },
        { calls },
        { text: "Let me see", hold: true },
        { text: "It is noon." },
      ]);
      await addColleague(app, "clerk", gated);
      const response = await app.admin.open("/schemas/support/chat", { message: "time?" });
      const session_id = response.headers.get("X-Session-Id") ?? "";
      await frameOf(app, session_id, "confirmation");
      await app.admin.post(`/sessions/${session_id}/respond`, { call_id: "c1", answers: [said] });
      await app.model.held();
      const { data } = await frameOf(app, session_id, "interrupt_resume");
      expect(data).toMatchObject({ interrupt_id: "c1", session_id });
      expect(JSON.parse(data.content)).toEqual({
        interrupt_id: "c1",
        kind: "confirmation",
        payload: { answers: [told] },
      });
      app.model.release();
      const { frames } = await read(response);
      expect(eventNames(frames).slice(0, 4)).toEqual([
        "tool_call",
        "confirmation",
        "interrupt_resume",
        "tool_result",
      ]);
    },
  );

  test("several calls that run together are told apart", async () => {
    const both = ["c1", "c2"].map((id) => ({ id, tool: "current_time", input: {} }));
    const { admin, response, respond } = await (async () => {
      const app = await startChatApp([{ calls: both }, { text: "Done." }], {
        ...gated,
        tool_execution: "parallel",
      });
      const opened = await app.admin.open("/schemas/support/chat", { message: "time?" });
      const session_id = opened.headers.get("X-Session-Id") ?? "";
      await frameOf(app, session_id, "confirmation");
      return { ...app, response: opened, respond: `/sessions/${session_id}/respond` };
    })();
    await admin.post(respond, { call_id: "c2", answers: ["approve"] });
    await admin.post(respond, { call_id: "c1", answers: ["reject: once is enough"] });
    const { frames } = await read(response);
    const results = frames.filter(({ event }) => event === "tool_result");
    expect(results.map(({ data }) => [data.call_id, data.has_error]).sort()).toEqual([
      ["c1", true],
      ["c2", false],
    ]);
  });
});

describe("an answer to an approval", () => {
  test("counts once: of two at the same time one wins", async () => {
    const { admin, response, respond } = await waiting();
    const answers = await Promise.all([admin.post(respond, approve), admin.post(respond, approve)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    await read(response);
    expect((await admin.post(respond, approve)).status).toBe(409);
  });

  test.each([
    ["an unknown call", { call_id: "c9", answers: ["approve"] }, 404],
    ["no call", { answers: ["approve"] }, 400],
    ["no answer", { call_id: "c1", answers: [] }, 400],
    ["an answer that is neither", { call_id: "c1", answers: ["maybe later"] }, 400],
  ])("is refused: %s", async (_what, body, status) => {
    const { admin, response, respond } = await waiting();
    expect((await admin.post(respond, body)).status).toBe(status);
    await admin.post(respond, approve);
    expect((await read(response)).one("tool_result").has_error).toBe(false);
  });

  test("comes from whoever may chat, but not from another user", async () => {
    const app = await startChatApp([{ calls }, { text: "Done." }], gated);
    const ann = await app.asUser("ann");
    const response = await ann.open("/schemas/support/chat", { message: "time?" });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    await frameOf(app, session_id, "confirmation");
    const path = `/sessions/${session_id}/respond`;
    expect((await (await app.asUser("bob")).post(path, approve)).status).toBe(404);
    expect((await (await app.as(["agents:read"])).post(path, approve)).status).toBe(403);
    expect((await ann.post(path, approve)).status).toBe(200);
    await read(response);
  });

  test("to a session that does not exist is not found", async () => {
    const { admin } = await startChatApp();
    const path = "/sessions/44444444-4444-4444-8444-444444444444/respond";
    expect((await admin.post(path, approve)).status).toBe(404);
  });
});
