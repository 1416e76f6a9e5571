import { expect, test, vi } from "vitest";
import type { WireFrame } from "#engine/events/wire.ts";
import { EngineError } from "#engine/kernel/error.ts";
import type { ChatPort } from "./chat-session.ts";
import type { ChatAction } from "./chat-state.ts";
import { createTurnDriver } from "./turn-driver.ts";

const frame = (content: string): WireFrame => ({
  event: "message_delta",
  data: { content },
  id: 1,
  turn_id: "t",
});

function setUp(send: ChatPort["send"]) {
  const actions: ChatAction[] = [];
  const cancel = vi.fn<ChatPort["cancel"]>(async () => "cancelled");
  const port: ChatPort = {
    place: "",
    target: { schema: "s" },
    send,
    resume: () => send(""),
    respond: async () => undefined,
    join: () => send(""),
    upcoming: async () => undefined,
    cancel,
    history: async () => [],
    sessions: async () => [],
    schemas: async () => [],
    save: async (path) => path,
  };
  return { actions, cancel, driver: createTurnDriver(port, (action) => actions.push(action)) };
}

test("frames that come together are handed on together, none is lost at the end", async () => {
  async function* frames() {
    yield frame("a");
    yield frame("b");
  }
  const { actions, driver } = setUp(async () => ({ session_id: "s1", frames: frames() }));
  await driver.send("hello", undefined);
  expect(actions.map(({ type }) => type)).toEqual(["sent", "accepted", "frames", "ended"]);
  expect(actions[2]).toMatchObject({ frames: [frame("a"), frame("b")] });
});

test("a stream that breaks keeps what came and tells why", async () => {
  async function* frames() {
    yield frame("a");
    throw new Error("connection reset");
  }
  const { actions, driver } = setUp(async () => ({ session_id: "s1", frames: frames() }));
  await driver.send("hello", "s1");
  expect(actions.map(({ type }) => type)).toEqual(["sent", "accepted", "frames", "ended"]);
  expect(actions.at(-1)).toMatchObject({ failure: "connection reset" });
  expect(driver.isRunning()).toBe(false);
});

test("a turn that is stopped before it is accepted is stopped as soon as it is", async () => {
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<ChatPort["send"]>>>();
  const { cancel, driver } = setUp(() => promise);
  const turn = driver.send("hello", "s1");
  driver.stop();
  expect(cancel).not.toHaveBeenCalled();
  async function* frames() {}
  resolve({ session_id: "s1", frames: frames() as AsyncIterable<WireFrame> });
  await turn;
  expect(cancel).toHaveBeenCalledExactlyOnceWith("s1");
});

test("a turn that was joined is left when nobody runs it, and says so", async () => {
  const { actions, cancel, driver } = setUp(() => Promise.reject(new Error("not asked for")));
  cancel.mockResolvedValue("idle");
  const { promise: never } = Promise.withResolvers<void>();
  async function* frames() {
    yield frame("a");
    await never;
  }
  const joined = driver.join({ session_id: "s1", frames: frames() });
  await vi.waitFor(() => expect(actions.map(({ type }) => type)).toContain("frames"));
  driver.stop();
  await joined;
  expect(actions.at(-1)).toMatchObject({ type: "ended" });
  expect(actions.at(-1)).toHaveProperty("failure", expect.stringContaining("Nobody works"));
  expect(driver.isRunning()).toBe(false);
});

test("a form that nobody waits for any more is told so, one that was not reached is kept", async () => {
  const reply = { interrupt_id: "i1", answers: [] };
  const gone = setUp(() => Promise.reject(new EngineError("conflict", "answered already")));
  await gone.driver.resume("s1", reply);
  expect(gone.actions.map(({ type }) => type)).toEqual(["resumed", "ended", "answer_failed"]);
  expect(gone.actions.at(-1)).toMatchObject({ key: "i1", is_gone: true });
  const unreached = setUp(() => Promise.reject(new EngineError("unavailable", "no answer")));
  await unreached.driver.resume("s1", reply);
  expect(unreached.actions.map(({ type }) => type)).toEqual(["resumed", "ended"]);
});
