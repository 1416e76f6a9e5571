import { describe, expect, test, vi } from "vitest";
import { createEngine } from "#engine/engine.ts";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import type { CreateChatModel } from "#engine/providers/provider.ts";
import { builtInTools } from "#engine/tools/built-in.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { quietLog } from "../support/log.ts";
import { eventNames, parseFrames } from "../support/sse.ts";
import { addColleague, ask, frameOf, read } from "../support/turns.ts";

const FORM = {
  output_type: "form",
  questions: [{ id: "where", label: "Where to?", type: "text" }],
};
const form = { id: "f1", tool: "show_structured_output", input: FORM };
const time = { id: "t1", tool: "current_time", input: {} };
const gated = { tools: ["current_time"], confirm_before: ["current_time"] };

describe("parallel sub-agents", () => {
  test("whose provider numbers calls alike are told apart", async () => {
    const spawn = ["ann", "bob"].map((name, index) => ({
      id: `s${index}`,
      tool: `spawn_${name}`,
      input: { description: "the time" },
    }));
    const app = await startChatApp(
      [{ calls: spawn }, { calls: [time] }, { calls: [time] }, { text: "A" }, { text: "B" }],
      { tool_execution: "parallel" },
    );
    await addColleague(app, "ann", { tools: ["current_time"] });
    await addColleague(app, "bob", { tools: ["current_time"] });
    app.model.script({ text: "Done." });
    const { frames, session_id } = await ask(app.admin, { message: "go" });
    expect(frames.at(-1)?.event).toBe("done");
    const { body } = await app.admin.get(`/audit/tool-calls?session_id=${session_id}`);
    expect(body.data.map(({ tool_name }: { tool_name: string }) => tool_name).sort()).toEqual([
      "current_time",
      "current_time",
      "spawn_ann",
      "spawn_bob",
    ]);
  });
});

describe("an approval", () => {
  test("for a sub-agent can't be got round by the other way to spawn it", async () => {
    const spawn = { id: "s1", tool: "spawn_agent", input: { agent_name: "clerk", input: "pay" } };
    const app = await startChatApp([{ calls: [spawn] }, { text: "Paid." }, { text: "Done." }], {
      tools: ["spawn_agent"],
      confirm_before: ["spawn_clerk"],
    });
    await addColleague(app, "clerk");
    const response = await app.admin.open("/schemas/support/chat", { message: "pay" });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    await frameOf(app, session_id, "confirmation");
    const answers = ["reject: no money"];
    await app.admin.post(`/sessions/${session_id}/respond`, { call_id: "s1", answers });
    expect((await read(response)).one("tool_result").content).toContain("no money");
  });

  test("can't be given in a new session whose answer is collected, so the call is refused", async () => {
    const { admin } = await startChatApp([{ calls: [time] }, { text: "Sorry." }], gated);
    const { body } = await admin.post("/schemas/support/chat", { message: "go", stream: false });
    expect(body.tool_calls[0].output).toContain("nobody can be asked");
  });

  test("is waited for over any number of clean restarts", async () => {
    const app = await startChatApp([{ calls: [time] }], gated);
    const response = await app.admin.open("/schemas/support/chat", { message: "time?" });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    await frameOf(app, session_id, "confirmation");
    await app.engine.stop(0);
    for (let restart = 0; restart < 8; restart += 1) {
      const engine = restarted(app);
      await engine.start();
      await engine.stop(0);
    }
    const events = await app.store.read.events.list(session_id);
    expect(events.at(-1)?.type).toBe("confirmation_request");
  });
});

/** The engine of a process that comes after. */
const restarted = (app: ChatApp, createChatModel: CreateChatModel = app.model.create) =>
  createEngine({
    store: app.store,
    version: "0.0.0-test",
    secrets: createSecretBox(new Uint8Array(32)),
    verifier: { verify: () => Promise.reject(new Error("nobody asks")) },
    issuer: undefined,
    tools: builtInTools,
    log: quietLog,
    owner: "server",
    now: app.clock.now,
    createChatModel,
  });

describe("a shutdown in the middle of a step", () => {
  test("does not make half a sentence the answer of a sub-agent", async () => {
    const spawn = { id: "s1", tool: "spawn_ann", input: { description: "tell" } };
    const app = await startChatApp([{ calls: [spawn] }, { text: "Half a sen", hold: true }]);
    await addColleague(app, "ann");
    const response = await app.admin.open("/schemas/support/chat", { message: "go" });
    await app.model.held();
    await app.engine.stop(0);
    await response.text();

    app.model.script({ text: "A whole sentence." }, { text: "Done." }, { text: "Next." });
    const engine = restarted(app);
    await engine.start();
    await engine.stop(1_000);
    const session_id = response.headers.get("X-Session-Id") ?? "";
    const events = await app.store.read.events.list(session_id);
    const results = events.flatMap((event) =>
      event.type === "tool_result" ? event.payload.content : [],
    );
    expect(results).toEqual([expect.stringContaining("A whole sentence.")]);
  });
});

describe("deleting a session", () => {
  test("ends the requests that wait in it, too", async () => {
    const { admin, model } = await startChatApp([{ text: "Half", hold: true }]);
    const first = await admin.open("/schemas/support/chat", { message: "1" });
    const session_id = first.headers.get("X-Session-Id");
    await model.held();
    const waiting = await admin.open("/schemas/support/chat", { message: "2", session_id });
    expect((await admin.delete(`/sessions/${session_id}`)).status).toBe(204);
    for (const response of [first, waiting]) {
      const last = parseFrames(await response.text()).at(-1);
      expect(last).toMatchObject({ event: "error", data: { code: "cancelled" } });
    }
  });
});

describe("a paused turn", () => {
  const withForm = { tools: ["show_structured_output", "current_time"] };

  test("can be stopped: its form can't be answered any more", async () => {
    const { admin } = await startChatApp([{ calls: [form] }], withForm);
    const { one, session_id } = await ask(admin, { message: "go" });
    const { body } = await admin.post(`/sessions/${session_id}/cancel`);
    expect(body).toEqual({ status: "cancelled" });
    expect((await admin.get(`/sessions/${session_id}`)).body.status).toBe("completed");
    const { interrupt_id } = one("interrupt_request");
    const resume = { session_id, resume_interrupt: { interrupt_id, payload: {} } };
    expect((await admin.post("/schemas/support/chat", resume)).status).toBe(409);
  });

  test("goes on with an answer that says nothing", async () => {
    const { admin, model } = await startChatApp([{ calls: [form] }, { text: "Good." }], withForm);
    const { one, session_id } = await ask(admin, { message: "go" });
    const { interrupt_id } = one("interrupt_request");
    await ask(admin, { session_id, resume_interrupt: { interrupt_id } });
    expect(model.calls[1]?.prompt.at(-1)).toEqual({
      role: "user",
      content: [{ type: "text", text: "(no answers)" }],
    });
  });

  test("answered twice in the same moment gives one stream its end and the other a conflict", async () => {
    const { admin, model } = await startChatApp([{ calls: [form] }, { text: "Good." }], withForm);
    const { one, session_id } = await ask(admin, { message: "go" });
    const { interrupt_id } = one("interrupt_request");
    const resume = { session_id, resume_interrupt: { interrupt_id, payload: {} } };
    const open = () => admin.open("/schemas/support/chat", resume);
    const responses = await Promise.all([open(), open()]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    const won = responses.find(({ status }) => status === 200);
    expect(eventNames(parseFrames((await won?.text()) ?? "")).at(-1)).toBe("done");
    expect(model.calls).toHaveLength(2);
  });

  test("leaves the stream of the message that ended it alone", async () => {
    const spawn = { id: "s1", tool: "spawn_ann", input: { description: "plan" } };
    const app = await startChatApp([{ calls: [spawn] }, { calls: [form] }, { text: "Fine." }]);
    await addColleague(app, "ann", withForm);
    const { session_id } = await ask(app.admin, { message: "go" });
    const { frames } = await ask(app.admin, { message: "never mind", session_id });
    expect(eventNames(frames)).toEqual(["message_delta", "message", "done"]);
  });
});

describe("arguments that are no object", () => {
  test("come back to the provider as an empty one", async () => {
    const { admin, model } = await startChatApp(
      [{ calls: [{ ...time, input: "[1]" }] }, { text: "Sorry." }],
      { tools: ["current_time"] },
    );
    await ask(admin, { message: "go" });
    expect(model.calls[1]?.prompt).toContainEqual({
      role: "assistant",
      content: [expect.objectContaining({ type: "tool-call", input: {} })],
    });
  });
});

describe("a long past", () => {
  test("is replayed whole, however much it is", async () => {
    const { admin, store } = await startChatApp();
    const { body } = await admin.post("/sessions", {});
    const origin = { session_id: body.id, turn_id: "t", agent_id: "a", created_at: "2026-03-01" };
    const events = Array.from({ length: 60 }, (_, index) => ({
      ...origin,
      seq: index + 1,
      id: `e${index}`,
      type: "tool_result" as const,
      call_id: `c${index}`,
      payload: { tool: "x", content: "y".repeat(100_000), duration_ms: 0 },
    }));
    await store.write((tx) => tx.events.append(events));
    const response = await admin.openGet(`/sessions/${body.id}/events?after=0`);
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes('"call_id":"c59"')) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    await reader?.cancel();
    expect(text.match(/^event: tool_result$/gm)).toHaveLength(60);
  });
});

describe("a message that waits", () => {
  test("is followed by its turn, not by the one before it", async () => {
    const { admin, model } = await startChatApp([
      { text: "First", hold: true },
      { text: "Second" },
    ]);
    const first = await admin.open("/schemas/support/chat", { message: "1" });
    const session_id = first.headers.get("X-Session-Id") ?? "";
    await model.held();
    const waiting = await admin.open("/schemas/support/chat", { message: "2", session_id });
    await waiting.body?.cancel();
    const place = `after=${waiting.headers.get("X-Resume-Id")}&turn=${waiting.headers.get("X-Turn-Id")}`;
    const again = await admin.openGet(`/sessions/${session_id}/events?${place}`);
    model.release();
    const reader = again.body?.getReader();
    let text = "";
    while (!text.includes("event: done")) {
      text += Buffer.from((await reader?.read())?.value ?? []).toString();
    }
    await reader?.cancel();
    const messages = parseFrames(text).filter(({ event }) => event === "message");
    expect(messages.map(({ data }) => data.content)).toEqual(["Second"]);
    await first.text();
  });
});

describe("a turn whose session's log is still being read", () => {
  /** A second turn of a session, as if its log were very long: it is read to its end by `goOn`. */
  async function startSlowly(app: ChatApp) {
    const { session_id } = await ask(app.admin, { message: "hi" });
    const { events } = app.store.read;
    const [asked, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const list = events.list.bind(events);
    vi.spyOn(events, "list").mockImplementationOnce(async (...place) => {
      asked.resolve();
      await end.promise;
      return list(...place);
    });
    app.model.script({ text: "More.", hold: true });
    const opening = app.admin.open("/schemas/support/chat", { message: "more", session_id });
    await asked.promise;
    return { session_id, opening, goOn: end.resolve };
  }
  const turnsOfTheLoop = async () => {
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
  };

  test("can be stopped", async () => {
    const app = await startChatApp([{ text: "Hello." }]);
    const { session_id, opening, goOn } = await startSlowly(app);
    const find = vi.spyOn(app.store.read.sessions, "get");
    const stopping = app.admin.post(`/sessions/${session_id}/cancel`);
    await vi.waitFor(() => expect(find).toHaveBeenCalled());
    await turnsOfTheLoop();
    goOn();
    expect((await stopping).body).toEqual({ status: "cancelled" });
    const last = parseFrames(await (await opening).text()).at(-1);
    expect(last).toMatchObject({ event: "error", data: { code: "cancelled" } });
  });

  test("is left to the next process by a shutdown", async () => {
    const app = await startChatApp([{ text: "Hello." }]);
    const { session_id, opening, goOn } = await startSlowly(app);
    const stopped = app.engine.stop(0);
    const isStopped = await Promise.race([stopped.then(() => true), turnsOfTheLoop()]);
    goOn();
    await stopped;
    expect(isStopped).toBeUndefined();
    const last = parseFrames(await (await opening).text()).at(-1);
    expect(last).toMatchObject({ event: "error", data: { code: "unavailable" } });
    expect((await app.store.read.events.list(session_id)).at(-1)?.type).toBe("user_message");
  });
});
