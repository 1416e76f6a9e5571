import { describe, expect, onTestFinished, test, vi } from "vitest";
import { startTestApp } from "../support/app.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { startTaskApp, type TaskApp } from "../support/tasks.ts";
import { frameOf } from "../support/turns.ts";

const FORM = {
  output_type: "form",
  title: "A question",
  questions: [{ id: "where", label: "Where to?", type: "text" }],
};
const form = { calls: [{ id: "f1", tool: "show_structured_output", input: FORM }] };
const asking = { tools: ["show_structured_output"] };
const gate = { calls: [{ id: "c1", tool: "current_time", input: {} }] };
const gated = { tools: ["current_time"], confirm_before: ["current_time"] };
const hold = { text: "Working on it.", hold: true } as const;

const interruptOf = async (app: TaskApp, session_id: string): Promise<string> => {
  const { body } = await app.admin.get(`/sessions/${session_id}/messages`);
  return body.find(({ event_type }: { event_type: string }) => event_type === "interrupt_request")
    .call_id;
};

/** Answers the form; the turn's stream is read to its end. */
const resume = async (app: TaskApp, session_id: string) => {
  const response = await app.admin.open("/schemas/support/chat", {
    session_id,
    resume_interrupt: {
      interrupt_id: await interruptOf(app, session_id),
      payload: { answers: [{ question_id: "where", value: "Turku" }] },
    },
  });
  await response.text();
  return response;
};

describe("a background task", () => {
  test("is done by the worker: its result is what the agent answered", async () => {
    const app = await startTaskApp();
    app.on("Plan a trip", { text: "By train." });
    const id = await app.background("Plan a trip", {
      description: "To Turku.",
      acceptance_criteria: ["It is cheap.", "It is quick."],
    });
    const task = await app.reach(id, "completed");
    expect(task).toMatchObject({
      result: "By train.",
      agent_name: "",
      started_at: expect.any(String),
      completed_at: expect.any(String),
    });
    const { body: session } = await app.admin.get(`/sessions/${task.session_id}`);
    expect(session).toMatchObject({
      title: "Plan a trip",
      status: "completed",
      metadata: { task_id: id },
    });
    expect(session.events[0].payload.content).toBe(
      "Plan a trip\n\nTo Turku.\n\nAcceptance criteria:\n- It is cheap.\n- It is quick.",
    );
  });

  test("waits for its approval, and an interactive one for a person", async () => {
    const app = await startTaskApp();
    const draft = await app.background("Draft", { require_approval: true });
    const by_hand = await app.background("By hand", { mode: "interactive" });
    await app.reach(await app.background("Other"), "completed");
    expect((await app.get(draft)).status).toBe("draft");
    await app.admin.post(`/tasks/${draft}/approve`);
    await app.reach(draft, "completed");
    expect((await app.get(by_hand)).status).toBe("pending");
  });

  test("begins by priority, then age, as many at a time as there are places", async () => {
    const app = await startTaskApp({}, { task_concurrency: 1 });
    const first = app.on("first", hold);
    await app.background("first");
    await first.held();
    await app.background("old");
    app.clock.pass(1);
    await app.background("young");
    const raised = await app.background("raised");
    await app.background("high", { priority: 1 });
    const last = await app.background("critical", { priority: 2 });
    await app.admin.post(`/tasks/${raised}/priority`, { priority: 1 });
    first.release();
    await app.reach(last, "completed");
    for (const { id } of (await app.admin.get("/tasks")).body.data)
      await app.reach(id, "completed");
    expect(app.begun).toEqual(["first", "critical", "raised", "high", "old", "young"]);
  });

  test("is one of four at a time unless set otherwise", async () => {
    const app = await startTaskApp();
    const titles = ["a", "b", "c", "d", "e", "f"];
    const models = titles.map((title) => app.on(title, hold));
    for (const title of titles) await app.background(title);
    await Promise.all(models.slice(0, 4).map((model) => model.held()));
    const total = async (status: string) =>
      (await app.admin.get(`/tasks?status=${status}`)).body.total;
    expect(await total("in_progress")).toBe(4);
    expect(await total("pending")).toBe(2);
    models[1]?.release();
    await models[4]?.held();
    expect(await total("completed")).toBe(1);
    expect(await total("in_progress")).toBe(4);
    for (const model of models) model.release();
  });

  test("needs no schema; without one its agent has nobody to remember things for", async () => {
    const app = await startTaskApp();
    const loner = { name: "loner", system: "Help.", tools: ["memory_store"] };
    await app.admin.post("/agents", loner);
    const call = { id: "m1", tool: "memory_store", input: { content: "x" } };
    app.on("Alone", { calls: [call] }, { text: "Done alone." });
    const id = await app.background("Alone", { agent_name: "loner" });
    const { session_id, result } = await app.reach(id, "completed");
    expect(result).toBe("Done alone.");
    const { body } = await app.admin.get(`/sessions/${session_id}`);
    expect(body).not.toHaveProperty("schema_id");
    expect(JSON.stringify(body.events)).toContain("no schema to remember this for");
  });

  test("is not begun by a process that takes none", async () => {
    const app = await startTaskApp({}, { task_concurrency: 0 });
    const id = await app.background("Later");
    expect((await app.get(id)).status).toBe("pending");
  });
});

describe("the blockers of a background task", () => {
  test("hold it until all of them are completed", async () => {
    const app = await startTaskApp();
    const blockers = [
      await app.background("one", { mode: "interactive" }),
      await app.background("two", { mode: "interactive" }),
    ];
    const id = await app.background("after both", { blocked_by: blockers });
    for (const blocker of blockers) {
      expect((await app.get(id)).status).toBe("pending");
      await app.admin.post(`/tasks/${blocker}/start`);
      await app.admin.post(`/tasks/${blocker}/complete`);
    }
    await app.reach(id, "completed");
  });

  test("let a chain be done in order", async () => {
    const app = await startTaskApp();
    const held = app.on("1", hold);
    const first = await app.background("1");
    const second = await app.background("2", { blocked_by: [first] });
    const third = await app.background("3", { blocked_by: [second], priority: 2 });
    await held.held();
    held.release();
    await app.reach(third, "completed");
    expect(app.begun).toEqual(["1", "2", "3"]);
  });

  test.each(["fail", "cancel"] as const)(
    "fail it, and what waits for it, when they %s; the reason tells it",
    async (how) => {
      const app = await startTaskApp();
      const blocker = await app.background("blocker", { mode: "interactive" });
      const id = await app.background("waits", { blocked_by: [blocker] });
      const next = await app.background("waits, too", { blocked_by: [id] });
      const by_hand = await app.background("free", { blocked_by: [blocker], mode: "interactive" });
      await app.admin.post(`/tasks/${blocker}/start`);
      if (how === "fail") await app.admin.post(`/tasks/${blocker}/fail`, { reason: "no" });
      else await app.admin.delete(`/tasks/${blocker}`);
      const failed = await app.get(id);
      expect(failed.status).toBe("failed");
      expect(failed.error).toContain(
        `"blocker" (${blocker}), which ${how === "fail" ? "failed" : "was cancelled"}`,
      );
      expect((await app.get(next)).error).toContain('"waits"');
      expect((await app.get(by_hand)).status).toBe("pending");
      expect(app.begun).toEqual([]);
    },
  );

  test("fail it at once when they had failed before, a draft when it is approved", async () => {
    const app = await startTaskApp();
    const blocker = await app.background("blocker", { mode: "interactive" });
    await app.admin.delete(`/tasks/${blocker}`);
    const id = await app.background("late", { blocked_by: [blocker] });
    expect((await app.get(id)).status).toBe("failed");
    const draft = await app.background("d", { blocked_by: [blocker], require_approval: true });
    expect((await app.get(draft)).status).toBe("draft");
    await app.admin.post(`/tasks/${draft}/approve`);
    expect(await app.get(draft)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("blocker"),
    });
  });
});

describe("a background task whose agent asks something", () => {
  test("needs input, goes on with the answer, and ends with what the agent says then", async () => {
    const app = await startTaskApp(asking);
    const model = app.on("Trip", form);
    const id = await app.background("Trip");
    const { session_id } = await app.reach(id, "needs_input");
    const started = await app.admin.post(`/tasks/${id}/start`);
    expect(started).toMatchObject({ status: 409 });
    expect(started.body.message).toContain(session_id);
    model.script(hold);
    const answered = resume(app, session_id);
    await model.held();
    expect((await app.get(id)).status).toBe("in_progress");
    model.release();
    await answered;
    expect(await app.reach(id, "completed")).toMatchObject({ result: "Working on it." });
  });

  test("may ask again", async () => {
    const app = await startTaskApp(asking);
    const again = { calls: [{ ...form.calls[0], id: "f2" }] } as typeof form;
    app.on("Trip", form, again);
    const id = await app.background("Trip");
    const { session_id } = await app.reach(id, "needs_input");
    await resume(app, session_id);
    await app.reach(id, "needs_input");
    const { body } = await app.admin.get(`/sessions/${session_id}/messages`);
    expect(
      body.filter(({ event_type }: { event_type: string }) => event_type === "interrupt_request"),
    ).toHaveLength(2);
  });

  test("leaves its place to others while it waits", async () => {
    const app = await startTaskApp(asking, { task_concurrency: 1 });
    app.on("Trip", form);
    await app.reach(await app.background("Trip"), "needs_input");
    await app.reach(await app.background("Other"), "completed");
  });

  test("fails when a message comes instead of the answer", async () => {
    const app = await startTaskApp(asking);
    app.on("Trip", form, { text: "Hello." });
    const id = await app.background("Trip");
    const { session_id } = await app.reach(id, "needs_input");
    await app.admin.post("/schemas/support/chat", { session_id, message: "hi", stream: false });
    expect(await app.get(id)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("instead of an answer"),
    });
  });

  test("is cancelled when its session is stopped", async () => {
    const app = await startTaskApp(asking);
    app.on("Trip", form);
    const id = await app.background("Trip");
    const { session_id } = await app.reach(id, "needs_input");
    const { body } = await app.admin.post(`/sessions/${session_id}/cancel`);
    expect(body).toEqual({ status: "cancelled" });
    expect((await app.get(id)).status).toBe("cancelled");
  });

  test.each([
    ["delete", ""],
    ["post", "/fail"],
  ] as const)("takes no answer any more once it is ended by %s", async (method, path) => {
    const app = await startTaskApp(asking);
    const model = app.on("Trip", form);
    const id = await app.background("Trip");
    const { session_id } = await app.reach(id, "needs_input");
    expect((await app.admin[method](`/tasks/${id}${path}`, { reason: "late" })).status).toBe(200);
    expect((await resume(app, session_id)).status).toBe(409);
    model.script({ text: "Still usable." });
    const message = { session_id, message: "hi", stream: false };
    const { body } = await app.admin.post("/schemas/support/chat", message);
    expect(body.message).toBe("Still usable.");
    expect((await app.get(id)).error).toBe("late");
  });

  test("needs input while a call waits for approval, and goes on when it is answered", async () => {
    const app = await startTaskApp(gated);
    const model = app.on("Clock", gate, hold);
    const id = await app.background("Clock");
    const { session_id } = await app.reach(id, "needs_input");
    await frameOf({ ...app, model }, session_id, "confirmation");
    const answer = { call_id: "c1", answers: ["approve"] };
    expect((await app.admin.post(`/sessions/${session_id}/respond`, answer)).status).toBe(200);
    await model.held();
    expect((await app.get(id)).status).toBe("in_progress");
    model.release();
    expect(await app.reach(id, "completed")).toMatchObject({ result: "Working on it." });
  });

  test("needs input until the last of several approvals is given", async () => {
    const both = ["c1", "c2"].map((id) => ({ id, tool: "current_time", input: {} }));
    const app = await startTaskApp({ ...gated, tool_execution: "parallel" });
    const model = app.on("Clock", { calls: both }, hold);
    const id = await app.background("Clock");
    const { session_id } = await app.reach(id, "needs_input");
    const respond = (call_id: string) =>
      app.admin.post(`/sessions/${session_id}/respond`, { call_id, answers: ["approve"] });
    await vi.waitFor(async () => expect((await respond("c1")).status).toBe(200));
    expect((await app.get(id)).status).toBe("needs_input");
    await respond("c2");
    await model.held();
    expect((await app.get(id)).status).toBe("in_progress");
    model.release();
  });

  test("can be cancelled while a call waits for approval", async () => {
    const app = await startTaskApp(gated);
    app.on("Clock", gate);
    const id = await app.background("Clock");
    await app.reach(id, "needs_input");
    expect((await app.admin.delete(`/tasks/${id}`, { reason: "late" })).status).toBe(200);
    expect(await app.get(id)).toMatchObject({ status: "cancelled", error: "late" });
  });
});

describe("a background task ends", () => {
  test("in failed with the reason of its turn", async () => {
    const app = await startTaskApp();
    app.on("Broken", { fail: new Error("x".repeat(9_000)) });
    const { error } = await app.reach(await app.background("Broken"), "failed");
    expect(error.length).toBeGreaterThan(10);
    expect(error.length).toBeLessThanOrEqual(4_000);
  });

  test("in failed when its agent is gone, has no answer, or may not use more", async () => {
    const app = await startTaskApp({ max_steps: 1 }, { task_concurrency: 1 });
    app.on("Silent", { text: "" });
    const silent = await app.reach(await app.background("Silent"), "failed");
    expect(silent.error).toMatch(/without an answer|used up its steps/);

    const limit = { scope: "tenant", unit: "turns", limit_value: 1, interval_seconds: 3600 };
    await app.admin.put("/admin/usage-limits", { ...limit, enabled: true });
    await app.reach(await app.background("Allowed"), "completed");
    const refused = await app.reach(await app.background("Too much"), "failed");
    expect(refused.error).toContain("usage limit");
  });

  test("in cancelled, and its turn is stopped; what was said is kept", async () => {
    const app = await startTaskApp();
    const model = app.on("Long", hold);
    const id = await app.background("Long");
    await model.held();
    const child = await app.background("Child", { parent_task_id: id, mode: "interactive" });
    expect((await app.admin.delete(`/tasks/${id}`, { reason: "enough" })).status).toBe(200);
    const task = await app.get(id);
    expect(task).toMatchObject({ status: "cancelled", error: "enough" });
    expect((await app.get(child)).status).toBe("cancelled");
    expect(await app.store.read.jobs.countByKey(`session:${task.session_id}`)).toBe(0);
    const { body } = await app.admin.get(`/sessions/${task.session_id}/messages`);
    expect(body.at(-1).payload.content).toBe("Working on it.");
  });

  test("in cancelled with its parent, and its turn is stopped", async () => {
    const app = await startTaskApp();
    const model = app.on("Part", hold);
    const parent_task_id = await app.background("Whole", { mode: "interactive" });
    const id = await app.background("Part", { parent_task_id });
    await model.held();
    await app.admin.delete(`/tasks/${parent_task_id}`);
    const task = await app.get(id);
    expect(task.status).toBe("cancelled");
    expect(await app.store.read.jobs.countByKey(`session:${task.session_id}`)).toBe(0);
  });

  test("in cancelled when its turn is stopped in its session", async () => {
    const app = await startTaskApp();
    const model = app.on("Long", hold);
    const id = await app.background("Long");
    await model.held();
    await app.admin.post(`/sessions/${(await app.get(id)).session_id}/cancel`);
    expect(await app.get(id)).toMatchObject({
      status: "cancelled",
      error: expect.stringContaining("stopped"),
    });
  });

  test("as a person says who ends it by hand, and its turn is stopped", async () => {
    const app = await startTaskApp();
    const model = app.on("Long", hold);
    const id = await app.background("Long");
    await model.held();
    await app.admin.post(`/tasks/${id}/complete`, { result: "Done by hand." });
    const task = await app.get(id);
    expect(task).toMatchObject({ status: "completed", result: "Done by hand." });
    expect(await app.store.read.jobs.countByKey(`session:${task.session_id}`)).toBe(0);
  });

  test("in failed after thirty minutes, whatever its agent's limit for one turn is", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await startTaskApp({ max_turn_duration: 30, max_step_duration: 3600 });
    const model = app.on("Long", hold);
    const id = await app.background("Long");
    await model.held();
    await vi.advanceTimersByTimeAsync(1_799_000);
    expect((await app.get(id)).status).toBe("in_progress");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await app.reach(id, "failed")).toMatchObject({
      error: expect.stringContaining("out of time"),
    });
  });

  test("in failed when the session is deleted in which it waits", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await startTaskApp(asking);
    app.on("Trip", form);
    const id = await app.background("Trip");
    const { session_id } = await app.reach(id, "needs_input");
    await app.admin.delete(`/sessions/${session_id}`);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await app.reach(id, "failed")).toMatchObject({
      error: expect.stringContaining("deleted"),
    });
  });
});

describe("several processes on one store", () => {
  const beside = ({ store }: TaskApp) =>
    startTestApp({ store, owner: "second", createChatModel: scriptedModel().create });

  test("begin each task once", async () => {
    const app = await startTaskApp();
    const second = await beside(app);
    const other = await second.as("admin");
    const ids: string[] = [];
    for (let count = 0; count < 40; count += 1) {
      const body = { title: `Task ${count}`, agent_name: "helper", mode: "background" };
      const { body: made } = await (count % 2 ? other : app.admin).post("/tasks", body);
      ids.push(made.task_id);
    }
    for (const id of ids) await app.reach(id, "completed");
    expect((await app.admin.get("/sessions")).body.total).toBe(40);
  });

  test("stop what another one cancelled", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await startTaskApp();
    const model = app.on("Long", hold);
    const id = await app.background("Long");
    await model.held();
    const second = await beside(app);
    await (await second.as("admin")).delete(`/tasks/${id}`, { reason: "from afar" });
    const { session_id, error } = await app.get(id);
    expect(error).toBe("from afar");
    expect(await app.store.read.jobs.countByKey(`session:${session_id}`)).toBe(1);
    await vi.advanceTimersByTimeAsync(5_000);
    await vi.waitFor(async () =>
      expect(await app.store.read.jobs.countByKey(`session:${session_id}`)).toBe(0),
    );
    expect((await app.get(id)).error).toBe("from afar");
  });
});
