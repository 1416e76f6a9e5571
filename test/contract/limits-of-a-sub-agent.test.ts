import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import type { Step } from "../support/scripted-model.ts";
import { startTaskApp } from "../support/tasks.ts";
import { addColleague, ask, frameOf, read } from "../support/turns.ts";

const spawn = (id: string, name: string) => ({
  id,
  tool: `spawn_${name}`,
  input: { description: "the task" },
});
const time = { id: "t1", tool: "current_time", input: {} };
const hold = { text: "Once upon", hold: true } as const;
const form = {
  id: "f1",
  tool: "show_structured_output",
  input: { output_type: "form", questions: [{ id: "q", label: "Which?", type: "text" }] },
};

/** From here on time passes only when the test says so. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
}

const open = ({ admin }: ChatApp) => admin.open("/schemas/support/chat", { message: "go" });

async function started(steps: Step[], clerk: object, helper: Record<string, unknown> = {}) {
  stopTime();
  const app = await startChatApp(steps, { max_turn_duration: 100, ...helper });
  await addColleague(app, "clerk", clerk);
  const response = await open(app);
  return { ...app, response };
}

describe("a sub-agent that works longer than its own max_turn_duration", () => {
  test("is stopped, its caller reads which limit it was, and goes on", async () => {
    const { model, response } = await started(
      [{ calls: [spawn("s1", "clerk")] }, hold, { text: "Without the clerk, then." }],
      { max_turn_duration: 5 },
    );
    await model.held();
    await vi.advanceTimersByTimeAsync(5_000);
    const { frames, one } = await read(response);
    expect(one("tool_result")).toMatchObject({
      call_id: "s1",
      has_error: true,
      content: '[ERROR] agent "clerk" was stopped: it reached its max_turn_duration of 5 seconds',
    });
    expect(one("message").content).toBe("Without the clerk, then.");
    expect(frames.at(-1)?.event).toBe("done");
  });

  test("takes those along that it called, with every call closed", async () => {
    stopTime();
    const app = await startChatApp(
      [
        { calls: [spawn("s1", "clerk")] },
        { calls: [spawn("s2", "typist")] },
        hold,
        { text: "On my own, then." },
      ],
      { max_turn_duration: 100 },
    );
    await addColleague(app, "clerk", { max_turn_duration: 5 });
    await addColleague(app, "typist", { max_turn_duration: 50 }, "clerk");
    const response = await open(app);
    await app.model.held();
    await vi.advanceTimersByTimeAsync(5_000);
    const { one, session_id } = await read(response);
    expect(one("message").content).toBe("On my own, then.");
    const { body } = await app.admin.get(`/sessions/${session_id}/messages`);
    const callsOf = (type: string): string[] =>
      body.flatMap((event: { event_type: string; call_id?: string }) =>
        event.event_type === type ? [event.call_id] : [],
      );
    expect(callsOf("tool_result").sort()).toEqual(callsOf("tool_call").sort());
  });

  test("does not stop its sibling", async () => {
    const { model, response } = await started(
      [
        { calls: [spawn("s1", "clerk"), spawn("s2", "clerk")] },
        hold,
        { text: "Filed." },
        { text: "One of two." },
      ],
      { max_turn_duration: 5 },
      { tool_execution: "parallel" },
    );
    await model.held();
    await vi.advanceTimersByTimeAsync(5_000);
    const { frames, one } = await read(response);
    const results = frames.filter(({ event }) => event === "tool_result");
    expect(results.map(({ data }) => data.has_error).sort()).toEqual([false, true]);
    expect(one("message").content).toBe("One of two.");
  });

  test("is stopped by its caller's time where that is over first", async () => {
    const { model, response } = await started(
      [{ calls: [spawn("s1", "clerk")] }, hold],
      { max_turn_duration: 50 },
      { max_turn_duration: 30 },
    );
    await model.held();
    await vi.advanceTimersByTimeAsync(30_000);
    const { one } = await read(response);
    expect(one("message").content).toContain("ran out of the time");
  });

  test("is not stopped by a max_turn_duration of 0", async () => {
    const { model, response } = await started(
      [{ calls: [spawn("s1", "clerk")] }, hold, { text: "Done." }],
      { max_turn_duration: 0, max_step_duration: 3_600 },
      { max_turn_duration: 0 },
    );
    await model.held();
    await vi.advanceTimersByTimeAsync(3_000_000);
    model.release();
    const { one } = await read(response);
    expect(one("tool_result").has_error).toBe(false);
  });

  test("but not by the time in which a person makes up their mind", async () => {
    const gated = { tools: ["current_time"], confirm_before: ["current_time"] };
    const app = await started(
      [
        { calls: [spawn("s1", "clerk")] },
        { calls: [time] },
        { text: "Noon." },
        { text: "It is noon." },
      ],
      { ...gated, max_turn_duration: 5 },
    );
    const session_id = app.response.headers.get("X-Session-Id") ?? "";
    await frameOf(app, session_id, "confirmation");
    await vi.advanceTimersByTimeAsync(300_000);
    const approve = { call_id: "t1", answers: ["approve"] };
    await app.admin.post(`/sessions/${session_id}/respond`, approve);
    const { one } = await read(app.response);
    expect(one("message").content).toBe("It is noon.");
  });

  test("takes a form along that another one waits with, and the turn does not pause for it", async () => {
    stopTime();
    const app = await startChatApp(
      [
        { calls: [spawn("s1", "clerk")] },
        { calls: [spawn("s2", "typist"), spawn("s3", "courier")] },
        { calls: [form] },
        hold,
        { text: "Too slow." },
      ],
      { max_turn_duration: 100 },
    );
    await addColleague(app, "clerk", { max_turn_duration: 5 });
    await addColleague(app, "typist", { tools: ["show_structured_output"] }, "clerk");
    await addColleague(app, "courier", {}, "clerk");
    const response = await open(app);
    await app.model.held();
    await vi.advanceTimersByTimeAsync(5_000);
    const { one, session_id } = await read(response);
    expect(one("message").content).toBe("Too slow.");
    const { interrupt_id } = one("interrupt_request");
    const body = { session_id, resume_interrupt: { interrupt_id, payload: "A" } };
    expect((await app.admin.post("/schemas/support/chat", body)).status).toBe(409);
    expect((await app.admin.get(`/sessions/${session_id}`)).body.status).toBe("completed");
  });

  test("is stopped within a background task, too, which goes on", async () => {
    stopTime();
    const app = await startTaskApp();
    await app.admin.post("/agents", { name: "clerk", system: "File.", max_turn_duration: 5 });
    const relation = { source: "helper", target: "clerk" };
    await app.admin.post("/schemas/support/agent-relations", relation);
    const clerk = app.on("the task", hold);
    app.on("Report", { calls: [spawn("s1", "clerk")] }, { text: "Without the clerk." });
    const id = await app.background("Report");
    await clerk.held();
    await vi.advanceTimersByTimeAsync(5_000);
    vi.useRealTimers();
    expect((await app.reach(id, "completed")).result).toBe("Without the clerk.");
  });
});

describe("a sub-agent whose model falls silent for its own max_step_duration", () => {
  test("is stopped, its caller reads which limit it was, and goes on", async () => {
    const { model, response } = await started(
      [{ calls: [spawn("s1", "clerk")] }, hold, { text: "Never mind." }],
      { max_step_duration: 10 },
    );
    await model.held();
    await vi.advanceTimersByTimeAsync(10_000);
    const { one } = await read(response);
    expect(one("tool_result")).toMatchObject({
      has_error: true,
      content:
        '[ERROR] agent "clerk" failed: its model said nothing for its max_step_duration of 10 seconds',
    });
    expect(one("message").content).toBe("Never mind.");
  });
});

describe("an agent that used up its max_steps without a word", () => {
  test("is an error that its caller reads, with the limit", async () => {
    const app = await startChatApp([
      { calls: [spawn("s1", "clerk")] },
      { calls: [time] },
      { text: "" },
      { text: "Never mind." },
    ]);
    await addColleague(app, "clerk", { tools: ["current_time"], max_steps: 1 });
    const { one } = await ask(app.admin, { message: "go" });
    expect(one("tool_result")).toMatchObject({
      has_error: true,
      content: '[ERROR] agent "clerk" was stopped without an answer: it reached its max_steps of 1',
    });
    expect(one("message").content).toBe("Never mind.");
  });

  test("fails its background task with that reason", async () => {
    const app = await startTaskApp({ tools: ["current_time"], max_steps: 1 });
    app.on("Silent", { calls: [time] }, { text: "" });
    const task = await app.reach(await app.background("Silent"), "failed");
    expect(task.error).toBe("the agent used up its steps before it had an answer");
  });
});
