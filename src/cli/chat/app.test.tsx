import { render } from "ink-testing-library";
import stripAnsi from "strip-ansi";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { WireEvent, WireFrame } from "#engine/events/wire.ts";
import { App } from "./app.tsx";
import type { ChatPort } from "./chat-session.ts";

/** A port whose turns are told by the test, event by event. */
function scriptedPort(overrides: Partial<ChatPort> = {}) {
  const sent: string[] = [];
  const cancelled: string[] = [];
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
    cancel: async (session_id) => void cancelled.push(session_id),
    history: async () => [
      {
        id: "1",
        event_type: "user_message",
        payload: { content: "earlier" },
        created_at: "2026-01-01T00:00:00Z",
      },
    ],
    sessions: async () => [
      { id: "0198-session", title: "First", updated_at: "2026-01-01T00:00:00Z" },
    ],
    schemas: async () => [{ name: "support" }, { name: "sales" }],
    ...overrides,
  };
  const tell = async (event?: WireEvent) => {
    await vi.waitFor(() => expect(waiting.length).toBeGreaterThan(0));
    waiting.shift()?.(event);
  };
  return { port, sent, cancelled, tell };
}

const done: WireEvent = { event: "done", data: { session_id: "0198-session", total_tokens: 1500 } };
const opened: { unmount(): void }[] = [];
afterEach(() => {
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
    await chat.type("/nonsense", "\r");
    await chat.sees("There is no command /nonsense");
    expect(chat.sent).toEqual([]);
  });

  test("goes on with a session that was named", async () => {
    const chat = await open({}, "0198-other");
    await chat.sees("session 0198-other");
    await chat.sees("> earlier");
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
});
