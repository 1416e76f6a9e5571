import { expect, test } from "vitest";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { addColleague, ask, frameOf } from "../support/turns.ts";

const UNKNOWN = "55555555-5555-4555-8555-555555555555";
const FORM = {
  id: "f",
  tool: "show_structured_output",
  input: { output_type: "form", questions: [{ id: "q", label: "Which?", type: "text" }] },
};
const DELEGATION = { id: "d", tool: "spawn_clerk", input: { description: "File it." } };

const lifecycle = async ({ admin }: ChatApp, agent: string, session_id = "") =>
  (await admin.get(`/agents/${agent}/lifecycle?session_id=${session_id}`)).body;

/** A turn in a new session, as far as its model's first words. */
async function begin({ admin, model }: ChatApp) {
  const answer = await admin.open("/schemas/support/chat", { message: "go" });
  await model.held();
  return { answer, session_id: answer.headers.get("X-Session-Id") ?? "" };
}

test("an agent without a session has none, and tells its mode and its context", async () => {
  const { admin } = await startChatApp([], { lifecycle: "spawn", max_context_size: 9_000 });
  const { status, body } = await admin.get("/agents/helper/lifecycle");
  expect(status).toBe(200);
  expect(body).toEqual({
    mode: "spawn",
    state: "no_session",
    tasks_handled: 0,
    context_tokens: 0,
    max_context: 9_000,
  });
  expect((await admin.get("/agents/helper/lifecycle?session_id=")).body).toEqual(body);
});

test("an agent runs while its turn does, then is idle and has handled it", async () => {
  const app = await startChatApp([{ text: "Once", hold: true }]);
  const { answer, session_id } = await begin(app);
  expect(await lifecycle(app, "helper", session_id)).toMatchObject({
    state: "running",
    tasks_handled: 0,
  });
  app.model.release();
  await answer.text();
  app.model.script({ text: "Twice.", usage: { prompt: 120, completion: 2 } });
  await ask(app.admin, { message: "again", session_id });
  expect(await lifecycle(app, "helper", session_id)).toMatchObject({
    mode: "persistent",
    state: "idle",
    tasks_handled: 2,
    context_tokens: 120,
  });
  expect(await lifecycle(app, "helper", UNKNOWN)).toMatchObject({ state: "idle" });
});

test("a turn that was stopped is not one that was handled", async () => {
  const app = await startChatApp([{ text: "Once", hold: true }]);
  const { answer, session_id } = await begin(app);
  await app.admin.post(`/sessions/${session_id}/cancel`);
  await answer.text();
  expect(await lifecycle(app, "helper", session_id)).toMatchObject({
    state: "idle",
    tasks_handled: 0,
  });
});

test("an agent needs input while its form is open, until it is answered", async () => {
  const tools = ["show_structured_output"];
  const app = await startChatApp([{ calls: [FORM] }, { text: "Thanks." }], { tools });
  const { session_id, one } = await ask(app.admin, { message: "go" });
  expect(await lifecycle(app, "helper", session_id)).toMatchObject({ state: "needs_input" });
  const { interrupt_id } = one("interrupt_request") as { interrupt_id: string };
  const payload = { answers: [{ question_id: "q", value: "a" }] };
  await ask(app.admin, { session_id, resume_interrupt: { interrupt_id, payload } });
  expect(await lifecycle(app, "helper", session_id)).toMatchObject({
    state: "idle",
    tasks_handled: 1,
  });
});

test("an agent whose form is left unanswered works on the next message", async () => {
  const app = await startChatApp([{ calls: [FORM] }, { text: "Fine.", hold: true }], {
    tools: ["show_structured_output"],
  });
  const { session_id } = await ask(app.admin, { message: "go" });
  const next = await app.admin.open("/schemas/support/chat", { message: "never mind", session_id });
  await app.model.held();
  expect(await lifecycle(app, "helper", session_id)).toMatchObject({ state: "running" });
  app.model.release();
  await next.text();
  expect(await lifecycle(app, "helper", session_id)).toMatchObject({ state: "idle" });
});

test("an agent needs input while its call waits for approval", async () => {
  const call = { id: "c1", tool: "current_time", input: {} };
  const app = await startChatApp([{ calls: [call] }, { text: "Done." }], {
    tools: ["current_time"],
    confirm_before: ["current_time"],
  });
  const answer = await app.admin.open("/schemas/support/chat", { message: "go" });
  const session_id = answer.headers.get("X-Session-Id") ?? "";
  await frameOf(app, session_id, "confirmation");
  expect(await lifecycle(app, "helper", session_id)).toMatchObject({ state: "needs_input" });
  await app.admin.post(`/sessions/${session_id}/respond`, { call_id: "c1", answers: ["approve"] });
  await answer.text();
  expect(await lifecycle(app, "helper", session_id)).toMatchObject({ state: "idle" });
});

test("a sub-agent runs with the call that spawned it, beside the agent that waits for it", async () => {
  const app = await startChatApp([{ calls: [DELEGATION] }, { text: "Filing", hold: true }]);
  await addColleague(app, "clerk");
  await addColleague(app, "porter");
  const { answer, session_id } = await begin(app);
  const stateOf = async (agent: string) => (await lifecycle(app, agent, session_id)).state;
  expect(await Promise.all(["helper", "clerk", "porter"].map(stateOf))).toEqual([
    "running",
    "running",
    "idle",
  ]);
  app.model.script({ text: "All done." });
  app.model.release();
  await answer.text();
  for (const agent of ["helper", "clerk"]) {
    expect(await lifecycle(app, agent, session_id)).toMatchObject({
      state: "idle",
      tasks_handled: 1,
    });
  }
});

test("an agent needs input when the one that it delegated to asks", async () => {
  const app = await startChatApp([{ calls: [DELEGATION] }, { calls: [FORM] }]);
  await addColleague(app, "clerk", { tools: ["show_structured_output"] });
  const { session_id } = await ask(app.admin, { message: "go" });
  for (const agent of ["helper", "clerk"]) {
    expect(await lifecycle(app, agent, session_id)).toMatchObject({ state: "needs_input" });
  }
});

test("the lifecycle of an unknown agent is not found, and a malformed session is refused", async () => {
  const { admin } = await startChatApp();
  expect((await admin.get("/agents/nobody/lifecycle")).status).toBe(404);
  expect((await admin.get(`/agents/${UNKNOWN}/lifecycle`)).status).toBe(404);
  expect((await admin.get("/agents/helper/lifecycle?session_id=7")).status).toBe(400);
  const { id } = (await admin.get("/agents/helper")).body;
  expect((await admin.get(`/agents/${id}/lifecycle`)).status).toBe(200);
});
