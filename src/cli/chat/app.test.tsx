import { render } from "ink-testing-library";
import stripAnsi from "strip-ansi";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ClientTurn, Wait } from "#cli/client/client.ts";
import type { PublicEvent } from "#engine/events/event.ts";
import type { WireEvent, WireFrame } from "#engine/events/wire.ts";
import { App } from "./app.tsx";
import type { ChatPort } from "./chat-session.ts";

/** A port whose turns are told by the test, event by event. */
function scriptedPort(overrides: Partial<ChatPort> = {}) {
  const sent: string[] = [];
  const cancelled: string[] = [];
  const answered: unknown[] = [];
  const saved: string[] = [];
  const waiting: ((event: WireEvent | undefined) => void)[] = [];
  async function* frames(): AsyncGenerator<WireFrame> {
    for (let id = 0; ; id += 1) {
      const event = await new Promise<WireEvent | undefined>((resolve) => waiting.push(resolve));
      if (!event) return;
      yield { ...event, id, turn_id: "turn" };
    }
  }
  const port: ChatPort = {
    place: "http://x.test",
    target: { schema: "support", agent: "helper" },
    send: async (message) => {
      sent.push(message);
      return { session_id: "0198-session", frames: frames() };
    },
    resume: async (session_id, { answers }) => {
      answered.push(answers);
      return { session_id, frames: frames() };
    },
    respond: async (_, call_id, answer) => void answered.push([call_id, answer]),
    join: async (session_id) => ({ session_id, frames: frames() }),
    upcoming: async () => undefined,
    cancel: async (session_id) => {
      cancelled.push(session_id);
      return "cancelled";
    },
    history: async () => [
      {
        id: "1",
        event_type: "user_message",
        payload: { content: "earlier" },
        created_at: "2026-01-01T00:00:00Z",
      },
      {
        id: "2",
        event_type: "assistant_message",
        payload: { content: "answered then" },
        created_at: "2026-01-01T00:00:01Z",
      },
    ],
    sessions: async () => [
      { id: "0198-session", title: "First", updated_at: "2026-01-01T00:00:00Z" },
    ],
    schemas: async () => [{ name: "support" }, { name: "sales" }],
    save: async (path, text) => {
      saved.push(text);
      return `/home/ada/${path}`;
    },
    ...overrides,
  };
  const tell = async (event?: WireEvent) => {
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0));
    waiting.shift()?.(event);
  };
  return { port, sent, cancelled, answered, saved, tell };
}

const done: WireEvent = { event: "done", data: { session_id: "0198-session", total_tokens: 1500 } };
const opened: { unmount(): void }[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const app of opened.splice(0)) app.unmount();
});

async function open(overrides: Partial<ChatPort> = {}, session_id?: string) {
  const scripted = scriptedPort(overrides);
  const remembered: string[] = [];
  const history = {
    entries: ["an old prompt"],
    remember: async (prompt: string) => void remembered.push(prompt),
  };
  const onSession = vi.fn();
  const app = render(
    <App
      port={scripted.port}
      session_id={session_id}
      history={history}
      environment={{ NO_COLOR: "1" }}
      onSession={onSession}
    />,
  );
  opened.push(app);
  const screen = () => stripAnsi(app.lastFrame() ?? "");
  const sees = (text: string) => vi.waitFor(() => expect(screen()).toContain(text));
  const type = async (...keys: string[]) => {
    for (const key of keys) {
      app.stdin.write(key);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  };
  await sees("Message support");
  await type();
  await new Promise((resolve) => setTimeout(resolve, 20));
  return { ...scripted, ...app, screen, remembered, onSession, sees, type };
}

describe("the chat", () => {
  test("tells where it is, sends a message and shows the answer once", async () => {
    const chat = await open();
    await chat.sees("http://x.test · agent helper");
    await chat.type("Hello", "\r");
    expect(chat.sent).toEqual(["Hello"]);
    await chat.sees("esc to stop");
    await chat.tell({ event: "message_delta", data: { content: "Hi **you**" } });
    await chat.sees("● Hi you");
    await chat.tell({ event: "message", data: { content: "Hi **you**" } });
    await chat.tell(done);
    await chat.tell();
    await chat.sees("1.5k tokens");
    expect(chat.screen().match(/Hi you/g)).toHaveLength(1);
    expect(chat.remembered).toEqual(["Hello"]);
    expect(chat.onSession).toHaveBeenLastCalledWith("0198-session");
  });

  test("sends what was queued when the turn is done", async () => {
    const chat = await open();
    await chat.type("one", "\r", "two", "\r");
    await chat.sees("queued: two");
    expect(chat.sent).toEqual(["one"]);
    await chat.tell(done);
    await chat.tell();
    await vi.waitFor(() => expect(chat.sent).toEqual(["one", "two"]));
  });

  test("stops a turn at the server and gives back what was queued", async () => {
    const chat = await open();
    await chat.type("one", "\r", "two", "\r", "\u001B");
    await vi.waitFor(() => expect(chat.cancelled).toEqual(["0198-session"]));
    await chat.sees("stopping");
    await chat.tell({
      event: "error",
      data: { code: "cancelled", content: "stopped", message: "stopped" },
    });
    await chat.tell();
    await chat.sees("Stopped. What was written so far is kept.");
    await chat.sees("> two");
    expect(chat.sent).toEqual(["one"]);
  });

  test("shows why a message was refused, and goes on", async () => {
    const chat = await open({
      send: () => Promise.reject(new Error("the schema has no entry agent")),
    });
    await chat.type("one", "\r");
    await chat.sees("✗ the schema has no entry agent");
    await chat.sees("Message support");
  });

  test("makes lines, walks the history, and never sends a paste by itself", async () => {
    const chat = await open();
    await chat.type("a\\", "\r", "b", "\n", "c");
    await chat.sees("> a\n  b\n  c");
    await chat.type("\u0003", "\u001B[A");
    await chat.sees("> an old prompt");
    await chat.type("\u0003", "\u001B[200~x\ny\n\u001B[201~");
    await chat.sees("> x\n  y");
    expect(chat.sent).toEqual([]);
  });

  test("offers commands, runs them, and knows no others", async () => {
    const chat = await open();
    await chat.type("/");
    await chat.sees("/sessions     list your sessions");
    await chat.type("se", "\r");
    await chat.sees("0198-ses  2026-01-01 00:00  First");
    await chat.type("/resume 0198", "\r");
    await chat.sees("> earlier");
    await chat.type("/resume 0199", "\r");
    await chat.sees("No session begins with 0199: /sessions lists them.");
    await chat.type("/nonsense", "\r");
    await chat.sees("There is no command /nonsense");
    expect(chat.sent).toEqual([]);
  });

  test("goes on with a session that was named, or whose start was", async () => {
    const whole = "0198aaaa-0000-7000-8000-000000000000";
    for (const [named, opened] of [
      [whole, whole],
      ["0198-s", "0198-session"],
    ] as const) {
      const chat = await open({}, named);
      await chat.sees("> earlier");
      expect(chat.onSession).toHaveBeenLastCalledWith(opened);
    }
  });

  test("begins anew when the session that was named is not there", async () => {
    const chat = await open({}, "0199");
    await chat.sees("No session begins with 0199: /sessions lists them.");
    await chat.sees("new session");
    expect(chat.onSession).toHaveBeenLastCalledWith(undefined);
  });

  test("says that a second ctrl+c quits", async () => {
    const chat = await open();
    await chat.type("text", "\u0003");
    await chat.sees("ctrl+c again to quit");
    expect(chat.screen()).not.toContain("> text");
  });

  test("shows no colour when none is wanted", async () => {
    const chat = await open();
    expect(chat.lastFrame()).not.toMatch(/\[(?:3[0-7]|9[0-7])m/);
  });

  const questions = [
    { id: "name", label: "Your name?", type: "text", default: "Ada" },
    {
      id: "size",
      label: "Which size?",
      type: "select",
      options: [
        { label: "Small", value: "s" },
        { label: "Large", value: "l" },
      ],
    },
  ];
  const interrupt: WireEvent = {
    event: "interrupt_request",
    data: {
      interrupt_id: "i1",
      content: JSON.stringify({
        interrupt_id: "i1",
        kind: "structured_output",
        schema: { output_type: "form", title: "Your order", questions },
      }),
    },
  };
  const confirmation = (call_id: string): WireEvent => ({
    event: "confirmation",
    data: { call_id, tool: "delete", content: "Delete?", session_id: "0198-session" },
  });
  const toolCall = (call_id: string): WireEvent => ({
    event: "tool_call",
    data: { call_id, tool: "delete", input: '{"path":"/tmp/a\\u001b[2J"}' },
  });
  /** Keys that come at once with a question are not for it. */
  const aMomentLater = () => vi.setSystemTime(Date.now() + 1000);

  test("asks the questions of a form one by one and sends the answers", async () => {
    const chat = await open();
    await chat.type("order", "\r");
    await chat.tell(interrupt);
    await chat.tell(done);
    await chat.tell();
    await chat.sees("┃ Your order  1/2");
    await chat.sees("┃ > Ada");
    expect(chat.screen()).not.toContain("Message support");
    aMomentLater();
    await chat.type(" L", "\r", "\u001B[B");
    await chat.sees("┃ › 2. Large");
    await chat.type("\u001B[Z", ".", "\t", "\r");
    expect(chat.answered).toEqual([
      [
        { question_id: "name", value: "Ada L." },
        { question_id: "size", value: "l", label: "Large" },
      ],
    ]);
    const payload = { answers: chat.answered[0] };
    await chat.tell({
      event: "interrupt_resume",
      data: { interrupt_id: "i1", content: JSON.stringify({ interrupt_id: "i1", payload }) },
    });
    await chat.sees("✓ Your order\n  Your name? Ada L.\n  Which size? Large");
    await chat.tell(done);
    await chat.tell();
    await chat.sees("Message support");
    expect(chat.sent).toEqual(["order"]);
  });

  test("leaves a form for a message and comes back to it", async () => {
    const chat = await open();
    await chat.type("order", "\r");
    await chat.tell(interrupt);
    await chat.tell(done);
    await chat.tell();
    await chat.sees("Your order  1/2");
    aMomentLater();
    await chat.type("!", "\u001B");
    await chat.sees("┃ ctrl+g Your order waits for an answer");
    await chat.sees("Message support");
    await chat.type("\u0007");
    await chat.sees("┃ > Ada!");
    await chat.type("\u001B", "never mind", "\r");
    expect(chat.sent).toEqual(["order", "never mind"]);
    await chat.sees("The form was left without an answer.");
  });

  test("gives and refuses approvals one after the other", async () => {
    const chat = await open();
    await chat.type("clean up", "\r");
    for (const event of ["c1", "c2"].flatMap((id) => [toolCall(id), confirmation(id)])) {
      await chat.tell(event);
    }
    await chat.sees("┃ Approve delete?  1 more after this");
    await chat.sees('"path": "/tmp/a\\u001b[2J"');
    await chat.sees("Some characters cannot be seen");
    aMomentLater();
    await chat.type("y");
    await chat.sees("✓ approved delete");
    aMomentLater();
    await chat.type("r", "not yet", "\r");
    await chat.sees("✗ rejected delete: not yet");
    expect(chat.answered).toEqual([
      ["c1", "approve"],
      ["c2", "reject: not yet"],
    ]);
    await chat.sees("Write the next message meanwhile");
  });

  test("takes no text for an approval that was meant for a message", async () => {
    const chat = await open();
    await chat.type("clean up", "\r", "and th");
    await chat.tell(confirmation("c1"));
    await chat.sees("┃ ctrl+g delete waits for your approval");
    aMomentLater();
    await chat.type("\u0015", "y");
    await chat.sees("> y");
    await chat.type("\u0015", "\u001B");
    await vi.waitFor(() => expect(chat.cancelled).toEqual(["0198-session"]));
    expect(chat.answered).toEqual([]);
  });

  test("asks again in a session whose turn still waits", async () => {
    const event = { payload: { content: "clean up" }, created_at: "2026-01-01T00:00:00Z" };
    const chat = await open(
      { history: async () => [{ id: "1", event_type: "user_message", ...event }] },
      "0198-session",
    );
    await chat.tell(toolCall("c1"));
    await chat.tell(confirmation("c1"));
    await chat.sees("┃ Approve delete?");
    expect(chat.screen().match(/> clean up/g)).toHaveLength(1);
    aMomentLater();
    await chat.type("n");
    expect(chat.answered).toEqual([["c1", "reject"]]);
  });

  test("tells what is written elsewhere in the session, and leaves the draft alone", async () => {
    const elsewhere = Promise.withResolvers<ClientTurn>();
    const events: PublicEvent[] = [];
    const waits: Wait[] = [];
    async function* frames(): AsyncGenerator<WireFrame> {
      yield { id: 8, turn_id: "t2", event: "message", data: { content: "The other answer" } };
      yield { ...done, id: 9, turn_id: "t2" };
    }
    const chat = await open({
      history: async () => events,
      upcoming: (_, wait) => {
        waits.push(wait);
        return waits.length === 1 ? elsewhere.promise : Promise.resolve(undefined);
      },
    });
    await chat.type("mine", "\r");
    await chat.tell(done);
    await chat.tell();
    await vi.waitFor(() => expect(waits).toHaveLength(1));
    expect(waits[0]?.after).toBe(0);
    await chat.type("draft");
    const said = (id: string, content: string) =>
      ({ id, event_type: "user_message", payload: { content }, created_at: "" }) as const;
    events.push(said("1", "mine"), said("2", "theirs"));
    elsewhere.resolve({ session_id: "0198-session", frames: frames() });
    await chat.sees("· Written elsewhere:\n\n> theirs\n\n● The other answer");
    await chat.sees("> draft");
    await vi.waitFor(() => expect(waits[1]?.after).toBe(9));
    expect(chat.sent).toEqual(["mine"]);
  });

  test("finds an earlier message", async () => {
    const chat = await open();
    await chat.type("draft", "\u0012", "OLD");
    await chat.sees("search: OLD\n> an old prompt");
    await chat.type("\u001B");
    await chat.sees("> draft");
    await chat.type("\u0012", "old", "\r");
    await chat.sees("> an old prompt");
    expect(chat.sent).toEqual([]);
  });

  test("copies the last answer and writes the session down", async () => {
    const chat = await open({}, "0198-session");
    await chat.sees("answered then");
    await chat.type("/copy", "\r");
    await chat.sees("Copied 13 characters");
    expect(chat.frames.join("")).toContain("\u001B]52;c;YW5zd2VyZWQgdGhlbg==\u0007");
    await chat.type("/export chat.md", "\r");
    await chat.sees("Written to /home/ada/chat.md");
    expect(chat.saved[0]).toContain("## Answer\n\nanswered then");
  });
});
