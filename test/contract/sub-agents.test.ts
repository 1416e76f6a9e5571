import { describe, expect, test } from "vitest";
import { EngineError } from "#engine/kernel/error.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { deltaText, eventNames } from "../support/sse.ts";
import { addColleague, ask, read } from "../support/turns.ts";

const spawn = (id: string, name: string, input: unknown = { description: "the task" }) => ({
  id,
  tool: `spawn_${name}`,
  input,
});
const time = (id: string) => ({ id, tool: "current_time", input: {} });

/** `helper` may delegate to `clerk`. */
async function withClerk(
  steps: Parameters<typeof startChatApp>[0],
  clerk: object = {},
  helper: Record<string, unknown> = {},
): Promise<ChatApp> {
  const app = await startChatApp(steps, helper);
  await addColleague(app, "clerk", clerk);
  return app;
}

const toolsOf = ({ model }: ChatApp, call: number) =>
  (model.calls[call]?.tools ?? []).map(({ name }) => name);

const promptOf = ({ model }: ChatApp, call: number) => JSON.stringify(model.calls[call]?.prompt);

async function messagesOf({ admin }: ChatApp, session_id: string) {
  const { body } = await admin.get(`/sessions/${session_id}/messages`);
  return body as {
    event_type: string;
    agent_id: string;
    call_id?: string;
    parent_call_id?: string;
    payload: { content?: string; tool?: string };
  }[];
}

describe("a sub-agent", () => {
  test("answers its parent as the result of the call that spawned it", async () => {
    const app = await withClerk([
      { calls: [spawn("s1", "clerk")] },
      { text: "It is filed." },
      { text: "All done." },
    ]);
    const { frames, one } = await ask(app.admin, { message: "file this" });
    expect(eventNames(frames)).toEqual([
      "tool_call",
      "tool_result",
      "message_delta",
      "message_delta",
      "message",
      "done",
    ]);
    expect(one("tool_result")).toMatchObject({ call_id: "s1", has_error: false });
    expect(one("tool_result").content).toBe('Agent "clerk" completed:\n\nIt is filed.');
    expect(one("message").content).toBe("All done.");
    expect(promptOf(app, 2)).toContain("It is filed.");
  });

  test("knows its own prompt and the description, nothing of the conversation", async () => {
    const app = await withClerk([{ text: "Hello." }]);
    const { session_id } = await ask(app.admin, { message: "a secret plan" });
    app.model.script(
      { calls: [spawn("s1", "clerk", { description: "Sum up 1 and 2." })] },
      { text: "3" },
      { text: "Three." },
    );
    await ask(app.admin, { message: "and now?", session_id });
    expect(app.model.calls[2]?.prompt).toEqual([
      { role: "system", content: "I am clerk." },
      { role: "user", content: [{ type: "text", text: "Sum up 1 and 2." }] },
    ]);
  });

  test("is not streamed: neither its words nor its tool calls", async () => {
    const app = await withClerk(
      [
        { calls: [spawn("s1", "clerk")] },
        { text: "Let me look.", reasoning: "Hmm.", calls: [time("t1")] },
        { text: "Noon." },
        { text: "It is noon." },
      ],
      { tools: ["current_time"] },
    );
    const { frames } = await ask(app.admin, { message: "time?" });
    expect(deltaText(frames)).toBe("It is noon.");
    expect(eventNames(frames)).not.toContain("thinking");
    expect(frames.filter(({ data }) => data.call_id === "t1")).toEqual([]);
  });

  test("is in the session's messages, told apart by its agent and the call that spawned it", async () => {
    const app = await withClerk(
      [
        { calls: [spawn("s1", "clerk", { description: "the time" })] },
        { calls: [time("t1")] },
        { text: "Noon." },
        { text: "It is noon." },
      ],
      { tools: ["current_time"] },
    );
    const { session_id } = await ask(app.admin, { message: "time?" });
    const idOf = async (name: string) => (await app.admin.get(`/agents/${name}`)).body.id;
    const [helper, clerk] = [await idOf("helper"), await idOf("clerk")];
    const messages = await messagesOf(app, session_id);
    expect(
      messages.map(({ event_type, agent_id, parent_call_id }) => [
        event_type,
        agent_id,
        parent_call_id,
      ]),
    ).toEqual([
      ["user_message", helper, undefined],
      ["tool_call", helper, undefined],
      ["tool_call", clerk, "s1"],
      ["tool_result", clerk, "s1"],
      ["assistant_message", clerk, "s1"],
      ["tool_result", helper, undefined],
      ["assistant_message", helper, undefined],
    ]);
  });

  test("does not show in the prompts of the turns after it", async () => {
    const app = await withClerk([
      { calls: [spawn("s1", "clerk")] },
      { text: "Deep inside." },
      { text: "Done." },
      { text: "Again." },
    ]);
    const { session_id } = await ask(app.admin, { message: "go" });
    await ask(app.admin, { message: "more", session_id });
    expect(app.model.calls[3]?.prompt.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
  });

  test("adds its tokens to those of the turn, but not to what fills its parent's context", async () => {
    const app = await withClerk([
      { calls: [spawn("s1", "clerk")], usage: { prompt: 100, completion: 10 } },
      { text: "Filed.", usage: { prompt: 20, completion: 2 } },
      { text: "Done.", usage: { prompt: 130, completion: 3 } },
    ]);
    const { one } = await ask(app.admin, { message: "go" });
    expect(one("done")).toMatchObject({
      prompt_tokens: 250,
      completion_tokens: 15,
      total_tokens: 265,
      context_tokens: 130,
    });
  });

  test("may spawn another one", async () => {
    const app = await withClerk([
      { calls: [spawn("s1", "clerk")] },
      { calls: [spawn("s2", "typist")] },
      { text: "Typed." },
      { text: "Filed what was typed." },
      { text: "Done." },
    ]);
    await addColleague(app, "typist", {}, "clerk");
    const { one, session_id } = await ask(app.admin, { message: "go" });
    expect(one("tool_result").content).toContain("Filed what was typed.");
    expect(promptOf(app, 3)).toContain("Typed.");
    const parents = (await messagesOf(app, session_id)).map(({ parent_call_id }) => parent_call_id);
    expect(new Set(parents)).toEqual(new Set([undefined, "s1", "s2"]));
  });

  test("that fails is an error that its parent reads and can go on from", async () => {
    const app = await withClerk([
      { calls: [spawn("s1", "clerk")] },
      { fail: new EngineError("model_error", "the model is down") },
      { text: "The clerk is ill." },
    ]);
    const { one, frames } = await ask(app.admin, { message: "go" });
    expect(one("tool_result")).toMatchObject({ has_error: true });
    expect(one("tool_result").content).toBe('[ERROR] agent "clerk" failed: the model is down');
    expect(promptOf(app, 2)).toContain("the model is down");
    expect(frames.at(-1)?.event).toBe("done");
  });

  test("ends with an answer when it used up its own steps", async () => {
    const app = await withClerk(
      [
        { calls: [spawn("s1", "clerk")] },
        { calls: [time("t1")] },
        { text: "As far as I got." },
        { text: "Done." },
      ],
      { tools: ["current_time"], max_steps: 1 },
    );
    const { one } = await ask(app.admin, { message: "go" });
    expect(toolsOf(app, 1)).toEqual(["current_time"]);
    expect(toolsOf(app, 2)).toEqual([]);
    expect(one("tool_result").content).toContain("As far as I got.");
  });

  test("is stopped together with the turn", async () => {
    const app = await withClerk([
      { calls: [spawn("s1", "clerk")] },
      { text: "Once upon", hold: true },
    ]);
    const response = await app.admin.open("/schemas/support/chat", { message: "go" });
    await app.model.held();
    const session_id = response.headers.get("X-Session-Id") ?? "";
    expect((await app.admin.post(`/sessions/${session_id}/cancel`)).body.status).toBe("cancelled");
    const { frames } = await read(response);
    expect(frames.at(-1)).toMatchObject({ event: "error", data: { code: "cancelled" } });
    const partial = (await messagesOf(app, session_id)).find(
      ({ parent_call_id, event_type }) =>
        parent_call_id === "s1" && event_type === "assistant_message",
    );
    expect(partial?.payload.content).toBe("Once upon");

    app.model.script({ text: "Fine." });
    await ask(app.admin, { message: "never mind", session_id });
    const [, , call, result] = app.model.calls[2]?.prompt ?? [];
    expect([call?.role, result?.role]).toEqual(["assistant", "tool"]);
  });

  test("works beside others when its parent's calls run together", async () => {
    const app = await withClerk(
      [
        { calls: [spawn("s1", "clerk"), spawn("s2", "typist")] },
        { text: "Ready." },
        { text: "Ready." },
        { text: "Both are ready." },
      ],
      {},
      { tool_execution: "parallel" },
    );
    await addColleague(app, "typist");
    const { frames, one } = await ask(app.admin, { message: "go" });
    const results = frames.filter(({ event }) => event === "tool_result");
    expect(results.map(({ data }) => data.content).sort()).toEqual([
      'Agent "clerk" completed:\n\nReady.',
      'Agent "typist" completed:\n\nReady.',
    ]);
    expect(one("message").content).toBe("Both are ready.");
  });
});

describe("whom an agent may spawn", () => {
  test("are the targets of its relations, each with a tool that tells what it is for", async () => {
    const app = await withClerk([{ text: "Hi." }]);
    await addColleague(app, "typist");
    await addColleague(app, "courier", {}, "typist");
    await ask(app.admin, { message: "hi" });
    expect(toolsOf(app, 0)).toEqual(["spawn_clerk", "spawn_typist"]);
    expect(JSON.stringify(app.model.calls[0]?.tools)).toContain("I am clerk.");
  });

  test("are shown as can_spawn, with the schemas it is used in, and can't be written", async () => {
    const { admin } = await withClerk([]);
    expect((await admin.get("/agents/helper")).body).toMatchObject({
      can_spawn: ["clerk"],
      used_in_schemas: ["support"],
    });
    const clerk = (await admin.get("/agents/clerk")).body;
    expect(clerk.can_spawn ?? []).toEqual([]);
    expect(clerk.used_in_schemas).toEqual(["support"]);
    expect((await admin.patch("/agents/clerk", { can_spawn: ["helper"] })).status).toBe(400);
  });

  test("are those of the schema that is talked to, not of another one", async () => {
    const app = await withClerk([{ text: "Hi." }]);
    await app.admin.post("/agents", { name: "stranger", system: "?" });
    await app.admin.post("/schemas", { name: "other", chat_enabled: true });
    const pair = { source: "helper", target: "stranger" };
    await app.admin.post("/schemas/other/agent-relations", pair);
    await ask(app.admin, { message: "hi" });
    expect(toolsOf(app, 0)).toEqual(["spawn_clerk"]);
  });

  test("are never those that wait for it, whatever the relations say", async () => {
    const app = await withClerk([
      { calls: [spawn("s1", "clerk")] },
      { text: "Filed." },
      { text: "Done." },
    ]);
    // A relation that no route would take, as an older database may hold it.
    const { id: schema_id } = (await app.admin.get("/schemas/support")).body;
    const [helper, clerk] = await Promise.all(
      ["helper", "clerk"].map(async (name) => (await app.admin.get(`/agents/${name}`)).body.id),
    );
    const created_at = app.clock.now().toISOString();
    const back = { id: "back", schema_id, source_id: clerk, target_id: helper, created_at };
    await app.store.write((tx) => tx.relations.insert(back));
    await ask(app.admin, { message: "go" });
    expect(toolsOf(app, 1)).toEqual([]);
  });
});
