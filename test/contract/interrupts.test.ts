import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";
import { eventNames, parseFrames } from "../support/sse.ts";
import { addColleague, ask } from "../support/turns.ts";

const FORM = {
  output_type: "form",
  title: "A trip",
  questions: [
    { id: "where", label: "Where to?", type: "text" },
    {
      id: "how",
      label: "How?",
      type: "select",
      options: [{ label: "By train", value: "train" }, { label: "By bike" }],
    },
  ],
};
const form = (input: unknown = FORM, id = "f1") => ({
  id,
  tool: "show_structured_output",
  input,
});
const withForm = { tools: ["show_structured_output"] };
const PAYLOAD = {
  answers: [
    { question_id: "where", value: "Turku" },
    { question_id: "how", value: "train", label: "By train" },
  ],
};

async function paused(agent: Record<string, unknown> = withForm) {
  const app = await startChatApp([{ text: "Let me ask.", calls: [form()] }], agent);
  const asked = await ask(app.admin, { message: "plan a trip" });
  const { interrupt_id } = asked.one("interrupt_request");
  const { session_id } = asked;
  const resume = { session_id, resume_interrupt: { interrupt_id, payload: PAYLOAD } };
  return { ...app, asked, session_id, interrupt_id, resume };
}

describe("a form", () => {
  test("pauses the turn: the client gets it as an interrupt, then done", async () => {
    const { asked, session_id, interrupt_id, admin } = await paused();
    expect(eventNames(asked.frames).filter((name) => name !== "message_delta")).toEqual([
      "interrupt_request",
      "done",
    ]);
    expect(interrupt_id).toMatch(/^[0-9a-f-]{36}$/);
    const { content, session_id: told } = asked.one("interrupt_request");
    expect(told).toBe(session_id);
    expect(asked.one("done").session_id).toBe(session_id);
    const { title, questions } = JSON.parse(content).schema;
    expect(JSON.parse(content)).toMatchObject({ interrupt_id, kind: "structured_output" });
    expect(title).toBe("A trip");
    expect(questions[1].options).toEqual([
      { label: "By train", value: "train" },
      { label: "By bike", value: "By bike" },
    ]);
    expect((await admin.get(`/sessions/${session_id}`)).body.status).toBe("active");
  });

  test("goes on with the turn once it is answered, in the same session", async () => {
    const { admin, model, resume, session_id, interrupt_id } = await paused();
    model.script({ text: "To Turku by train." });
    const { frames, one } = await ask(admin, resume);
    expect(eventNames(frames)).toEqual([
      "interrupt_resume",
      ...Array.from({ length: 4 }, () => "message_delta"),
      "message",
      "done",
    ]);
    expect(one("interrupt_resume")).toMatchObject({ interrupt_id, session_id });
    expect(JSON.parse(one("interrupt_resume").content)).toEqual({
      interrupt_id,
      kind: "structured_output",
      payload: PAYLOAD,
    });
    expect(one("done").session_id).toBe(session_id);
    const last = model.calls[1]?.prompt.at(-1);
    expect(last?.role).toBe("user");
    expect(JSON.stringify(last)).toContain("Where to?: Turku\\nHow?: By train");
  });

  test("leaves the messages of the contract, without the call that made it", async () => {
    const { admin, model, resume, session_id, interrupt_id } = await paused();
    model.script({ text: "To Turku by train." });
    await ask(admin, resume);
    const { body } = await admin.get(`/sessions/${session_id}/messages`);
    expect(
      body.map(({ event_type, call_id }: { event_type: string; call_id?: string }) => [
        event_type,
        call_id,
      ]),
    ).toEqual([
      ["user_message", undefined],
      ["interrupt_request", interrupt_id],
      ["interrupt_resume", interrupt_id],
      ["assistant_message", undefined],
    ]);
  });

  test("answers a button by its label", async () => {
    const info = {
      output_type: "info",
      title: "Book it?",
      actions: [{ label: "Book now", type: "primary", value: "book" }],
    };
    const { admin, model } = await startChatApp([{ calls: [form(info)] }], withForm);
    const asked = await ask(admin, { message: "book" });
    const { interrupt_id } = asked.one("interrupt_request");
    model.script({ text: "Booked." });
    const payload = { answers: [{ question_id: "action", value: "book" }] };
    const { session_id } = asked;
    await ask(admin, { session_id, resume_interrupt: { interrupt_id, payload } });
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain("Book now");
  });

  test("is abandoned by an ordinary message, which the model answers instead", async () => {
    const { admin, model, resume, session_id } = await paused();
    model.script({ text: "Never mind." });
    const { one } = await ask(admin, { message: "forget it", session_id });
    expect(one("message").content).toBe("Never mind.");
    const prompt = model.calls[1]?.prompt ?? [];
    expect(prompt.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "user"]);
    expect(await admin.post("/schemas/support/chat", resume)).toMatchObject({
      status: 409,
      body: { error: "conflict" },
    });
  });

  test("is hidden from an agent whose answer is collected", async () => {
    const { admin, model } = await startChatApp([{ text: "Hello." }], {
      tools: ["show_structured_output", "current_time"],
    });
    await admin.post("/schemas/support/chat", { message: "hi", stream: false });
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(["current_time"]);
  });

  test("may stand beside another call of the same step", async () => {
    const time = { id: "t1", tool: "current_time", input: {} };
    const { admin, model } = await startChatApp([{ calls: [form(), time] }], {
      tools: ["show_structured_output", "current_time"],
    });
    const asked = await ask(admin, { message: "go" });
    expect(eventNames(asked.frames)).toEqual([
      "tool_call",
      "interrupt_request",
      "tool_result",
      "done",
    ]);
    model.script({ text: "Good." });
    const { interrupt_id } = asked.one("interrupt_request");
    const resume_interrupt = { interrupt_id, payload: PAYLOAD };
    await ask(admin, { session_id: asked.session_id, resume_interrupt });
    const roles = model.calls[1]?.prompt.map(({ role }) => role);
    expect(roles).toEqual(["system", "user", "assistant", "tool", "user"]);
  });

  test("of a sub-agent pauses and resumes the whole turn", async () => {
    const spawn = [{ id: "s1", tool: "spawn_planner", input: { description: "plan" } }];
    const app = await startChatApp([{ calls: spawn }, { calls: [form()] }]);
    await addColleague(app, "planner", withForm);
    const asked = await ask(app.admin, { message: "plan a trip" });
    expect(eventNames(asked.frames)).toEqual(["tool_call", "interrupt_request", "done"]);
    app.model.script({ text: "Turku." }, { text: "You go to Turku." });
    const { interrupt_id } = asked.one("interrupt_request");
    const resume_interrupt = { interrupt_id, payload: PAYLOAD };
    const { frames, one } = await ask(app.admin, {
      session_id: asked.session_id,
      resume_interrupt,
    });
    expect(eventNames(frames)[0]).toBe("interrupt_resume");
    expect(one("tool_result")).toMatchObject({ call_id: "s1", has_error: false });
    expect(one("tool_result").content).toContain("Turku.");
    expect(one("message").content).toBe("You go to Turku.");
  });
});

describe("a block that breaks a rule goes back to the model", () => {
  const question = { id: "q", label: "Q", type: "select" };
  const option = { label: "A" };
  test.each([
    ["no questions in a form", { output_type: "form" }, "at least one question"],
    ["no rows in a table", { output_type: "summary_table" }, "at least one row"],
    ["an unknown kind", { output_type: "chart" }, "output_type"],
    [
      "one option",
      { output_type: "form", questions: [{ ...question, options: [option] }] },
      "2 to 5",
    ],
    [
      "six options",
      { output_type: "form", questions: [{ ...question, options: Array(6).fill(option) }] },
      "2 to 5",
    ],
    [
      "eleven questions",
      {
        output_type: "form",
        questions: Array.from({ length: 11 }, (_, id) => ({
          id: `${id}`,
          label: "?",
          type: "text",
        })),
      },
      "<=10",
    ],
    [
      "a missing id",
      {
        output_type: "form",
        questions: [
          { label: "A", type: "text" },
          { label: "B", type: "text" },
        ],
      },
      "is required",
    ],
    [
      "the same id twice",
      {
        output_type: "form",
        questions: [
          { id: "a", label: "A", type: "text" },
          { id: "a", label: "B", type: "text" },
        ],
      },
      "used twice",
    ],
    [
      "an option without a label",
      { output_type: "form", questions: [{ ...question, options: [{ value: "a" }, option] }] },
      "label",
    ],
    ["an unknown field", { output_type: "info", title: "T", colour: "red" }, "colour"],
    [
      "an unknown field in a question",
      { output_type: "form", questions: [{ id: "a", label: "A", type: "text", hint: "?" }] },
      "hint",
    ],
  ])("%s", async (_what, input, told) => {
    const { admin, model } = await startChatApp([{ calls: [form(input)] }, { text: "Sorry." }], {
      ...withForm,
    });
    const { frames } = await ask(admin, { message: "go" });
    expect(eventNames(frames)).toEqual(["message_delta", "message", "done"]);
    const result = JSON.stringify(model.calls[1]?.prompt.at(-1));
    expect(result).toContain("[ERROR]");
    expect(result).toContain(told);
  });

  test("but lists that come as JSON texts are understood", async () => {
    const input = {
      output_type: "form",
      questions: JSON.stringify([
        {
          label: "How?",
          type: "select",
          options: JSON.stringify([{ label: "A" }, { label: "B" }]),
        },
      ]),
    };
    const { admin } = await startChatApp([{ calls: [form(input)] }], withForm);
    const { one } = await ask(admin, { message: "go" });
    const { interrupt_id, content } = one("interrupt_request");
    expect(JSON.parse(content).schema.questions).toEqual([
      {
        id: `q-${interrupt_id.slice(0, 8)}`,
        label: "How?",
        type: "select",
        options: [
          { label: "A", value: "A" },
          { label: "B", value: "B" },
        ],
      },
    ]);
  });
});

describe("resuming", () => {
  test("twice at the same time: one wins, the other is a conflict", async () => {
    const { admin, model, resume } = await paused();
    model.script({ text: "Good." });
    const answers = await Promise.all([
      admin.post("/schemas/support/chat", resume),
      admin.post("/schemas/support/chat", resume),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await admin.post("/schemas/support/chat", resume)).status).toBe(409);
  });

  test("right after the form, while the turn still ends, is not lost", async () => {
    const app = await startChatApp([{ calls: [form()] }, { text: "Good." }], withForm);
    const response = await app.admin.open("/schemas/support/chat", { message: "go" });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    const asked = parseFrames(await response.text());
    const { interrupt_id } = asked.find(({ event }) => event === "interrupt_request")?.data ?? {};
    const answer = await ask(app.admin, {
      session_id,
      resume_interrupt: { interrupt_id, payload: PAYLOAD },
    });
    expect(eventNames(answer.frames).at(-1)).toBe("done");
  });

  test.each([
    ["without a session", { session_id: undefined }, 400],
    ["together with a message", { message: "hi" }, 400],
    ["in another session", { session_id: "44444444-4444-4444-8444-444444444444" }, 403],
  ])("%s is refused", async (_what, changed, status) => {
    const { admin, resume } = await paused();
    expect((await admin.post("/schemas/support/chat", { ...resume, ...changed })).status).toBe(
      status,
    );
  });

  test("an unknown interrupt, or another user's, is not found", async () => {
    const { admin, asUser, resume } = await paused();
    const unknown = { interrupt_id: "44444444-4444-4444-8444-444444444444", payload: {} };
    const body = { ...resume, resume_interrupt: unknown };
    expect((await admin.post("/schemas/support/chat", body)).status).toBe(404);
    const stranger = await asUser("bob");
    expect((await stranger.post("/schemas/support/chat", resume)).status).toBe(404);
  });

  test("takes any JSON as an answer", async () => {
    const { admin, model, resume } = await paused();
    model.script({ text: "Good." });
    const resume_interrupt = { ...resume.resume_interrupt, payload: ["just", "go"] };
    const { one } = await ask(admin, { ...resume, resume_interrupt });
    expect(one("message").content).toBe("Good.");
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain('[\\"just\\",\\"go\\"]');
  });
});
