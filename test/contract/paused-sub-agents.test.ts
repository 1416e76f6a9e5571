import { describe, expect, test } from "vitest";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { eventNames } from "../support/sse.ts";
import { type Answer, addColleague, ask, frameOf } from "../support/turns.ts";

const spawn = (id: string, name: string) => ({
  id,
  tool: `spawn_${name}`,
  input: { description: "the task" },
});
const form = (id: string) => ({
  id,
  tool: "show_structured_output",
  input: { output_type: "form", questions: [{ id: "q", label: "Which?", type: "text" }] },
});
const asking = { tools: ["show_structured_output", "current_time"] };

const interruptsOf = ({ frames }: Answer): string[] =>
  frames.flatMap(({ event, data }) => (event === "interrupt_request" ? [data.interrupt_id] : []));

const answer = (
  app: ChatApp,
  { session_id }: Answer,
  interrupt_id: string | undefined,
  value: string,
) =>
  ask(app.admin, {
    session_id,
    resume_interrupt: { interrupt_id, payload: { answers: [{ question_id: "q", value }] } },
  });

const resultsOf = ({ frames }: Answer): [string, string][] =>
  frames.flatMap(({ event, data }) =>
    event === "tool_result" ? [[data.call_id, data.content]] : [],
  );

describe("a sub-agent that asks a person", () => {
  test("does not hold its sibling, whose work is not done twice", async () => {
    const app = await startChatApp(
      [
        { calls: [spawn("s1", "clerk"), spawn("s2", "typist")] },
        { calls: [form("f1")] },
        { text: "Typed." },
      ],
      {},
    );
    await addColleague(app, "clerk", asking);
    await addColleague(app, "typist", {});
    const asked = await ask(app.admin, { message: "go" });
    expect(resultsOf(asked)).toEqual([["s2", 'Agent "typist" completed:\n\nTyped.']]);
    expect(eventNames(asked.frames).at(-1)).toBe("done");
    app.model.script({ text: "Filed under A." }, { text: "All done." });
    const resumed = await answer(app, asked, interruptsOf(asked)[0], "A");
    expect(resultsOf(resumed)).toEqual([["s1", 'Agent "clerk" completed:\n\nFiled under A.']]);
    expect(resumed.one("message").content).toBe("All done.");
    expect(app.model.calls).toHaveLength(5);
  });

  test.each(["sequential", "parallel"])(
    "and another that does, too, are answered one by one (%s)",
    async (tool_execution) => {
      const app = await startChatApp(
        [
          { calls: [spawn("s1", "clerk"), spawn("s2", "typist")] },
          { calls: [form("f")] },
          { calls: [form("f")] },
        ],
        { tool_execution },
      );
      await addColleague(app, "clerk", asking);
      await addColleague(app, "typist", asking);
      const asked = await ask(app.admin, { message: "go" });
      const [first, second] = interruptsOf(asked);
      expect(resultsOf(asked)).toEqual([]);

      app.model.script({ text: "One answer." });
      const half = await answer(app, asked, second, "B");
      expect(resultsOf(half)).toHaveLength(1);
      expect(eventNames(half.frames)).toEqual(["interrupt_resume", "tool_result", "done"]);
      expect((await app.admin.get(`/sessions/${asked.session_id}`)).body.status).toBe("active");

      app.model.script({ text: "Another answer." }, { text: "All done." });
      const whole = await answer(app, asked, first, "A");
      expect(resultsOf(whole)).toHaveLength(1);
      expect(whole.one("message").content).toBe("All done.");
      const calls = app.model.calls.at(-1)?.prompt.map(({ role }) => role);
      expect(calls).toEqual(["system", "user", "assistant", "tool"]);
    },
  );

  test("deep down pauses all that wait for it, and they go on from there", async () => {
    const app = await startChatApp([
      { calls: [spawn("s1", "clerk")] },
      { calls: [spawn("s2", "typist")] },
      { calls: [form("f1")] },
    ]);
    await addColleague(app, "clerk");
    await addColleague(app, "typist", asking, "clerk");
    const asked = await ask(app.admin, { message: "go" });
    app.model.script({ text: "Typed A." }, { text: "Filed A." }, { text: "Done with A." });
    const resumed = await answer(app, asked, interruptsOf(asked)[0], "A");
    expect(resumed.one("message").content).toBe("Done with A.");
    expect(JSON.stringify(app.model.calls[3]?.prompt)).toContain("Which?: A");
    expect(JSON.stringify(app.model.calls[3]?.prompt)).toContain("I am typist.");
    expect(app.model.calls).toHaveLength(6);
  });

  test("is told as answered to who follows, before its parent has the result", async () => {
    const app = await startChatApp([{ calls: [spawn("s1", "clerk")] }, { calls: [form("f1")] }]);
    await addColleague(app, "clerk", asking);
    const asked = await ask(app.admin, { message: "go" });
    const [interrupt_id] = interruptsOf(asked);
    app.model.script({ text: "Let me see", hold: true }, { text: "All done." });
    const answering = answer(app, asked, interrupt_id, "A");
    await app.model.held();
    const { data } = await frameOf(app, asked.session_id, "interrupt_resume");
    expect(data.interrupt_id).toBe(interrupt_id);
    app.model.release();
    expect((await answering).one("message").content).toBe("All done.");
  });

  test("is given up with all that wait for it by an ordinary message", async () => {
    const app = await startChatApp([
      { calls: [spawn("s1", "clerk"), spawn("s2", "clerk")] },
      { calls: [form("f1")] },
      { calls: [form("f2")] },
    ]);
    await addColleague(app, "clerk", asking);
    const asked = await ask(app.admin, { message: "go" });
    const { session_id } = asked;
    app.model.script({ text: "As you like." });
    const next = await ask(app.admin, { message: "never mind", session_id });
    expect(next.one("message").content).toBe("As you like.");
    const prompt = JSON.stringify(app.model.calls.at(-1)?.prompt);
    expect(prompt).toContain("the person went on without answering");
    for (const interrupt_id of interruptsOf(asked)) {
      const body = { session_id, resume_interrupt: { interrupt_id, payload: "A" } };
      expect((await app.admin.post("/schemas/support/chat", body)).status).toBe(409);
    }
    expect((await app.admin.get(`/sessions/${session_id}`)).body.status).toBe("completed");
  });

  test("can ask again after it was answered", async () => {
    const app = await startChatApp([{ calls: [spawn("s1", "clerk")] }, { calls: [form("f1")] }]);
    await addColleague(app, "clerk", asking);
    const asked = await ask(app.admin, { message: "go" });
    app.model.script({ calls: [form("f2")] });
    const again = await answer(app, asked, interruptsOf(asked)[0], "A");
    expect(eventNames(again.frames)).toEqual(["interrupt_resume", "interrupt_request", "done"]);
    app.model.script({ text: "Filed under A and B." }, { text: "Done." });
    const last = await answer(app, asked, interruptsOf(again)[0], "B");
    expect(resultsOf(last)).toEqual([["s1", 'Agent "clerk" completed:\n\nFiled under A and B.']]);
  });

  test("is never offered forms when the answer is collected", async () => {
    const app = await startChatApp([
      { calls: [spawn("s1", "clerk")] },
      { text: "Filed." },
      { text: "Done." },
    ]);
    await addColleague(app, "clerk", asking);
    const body = { message: "go", stream: false };
    expect((await app.admin.post("/schemas/support/chat", body)).body.message).toBe("Done.");
    expect(app.model.calls[1]?.tools?.map(({ name }) => name)).toEqual(["current_time"]);
  });

  test("is deleted while it waits: its parent reads that it failed", async () => {
    const app = await startChatApp([{ calls: [spawn("s1", "clerk")] }, { calls: [form("f1")] }]);
    await addColleague(app, "clerk", asking);
    const asked = await ask(app.admin, { message: "go" });
    await app.admin.delete("/agents/clerk");
    app.model.script({ text: "The clerk has left." });
    const resumed = await answer(app, asked, interruptsOf(asked)[0], "A");
    expect(resumed.one("tool_result").has_error).toBe(true);
    expect(resumed.one("message").content).toBe("The clerk has left.");
  });
});
