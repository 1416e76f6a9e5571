import { describe, expect, test } from "vitest";
import type { PublicEvent } from "#engine/events/event.ts";
import type { WireEvent, WireFrame } from "#engine/events/wire.ts";
import type { EntryContent } from "./chat-entries.ts";
import { type ChatState, initialState } from "./chat-model.ts";
import { type ChatAction, reduce } from "./chat-state.ts";

const frame = (event: WireEvent): WireFrame => ({ ...event, id: 1, turn_id: "turn" });
const delta = (content: string) => frame({ event: "message_delta", data: { content } });
const message = (content: string) => frame({ event: "message", data: { content } });
const done = (counts = {}) => frame({ event: "done", data: { session_id: "s1", ...counts } });
const call = (call_id: string, tool = "search") =>
  frame({ event: "tool_call", data: { call_id, tool, arguments: { query: "x" }, input: "{}" } });
const result = (call_id: string, has_error = false) =>
  frame({
    event: "tool_result",
    data: { call_id, tool: "search", content: "found", summary: "found", has_error },
  });
const error = (code: string, text: string) =>
  frame({ event: "error", data: { code, content: text, message: text } });
const interrupt = frame({
  event: "interrupt_request",
  data: {
    interrupt_id: "i1",
    content: JSON.stringify({
      interrupt_id: "i1",
      kind: "structured_output",
      schema: { title: "Form", questions: [{ id: "q", label: "Why?", type: "text" }] },
    }),
    session_id: "s1",
  },
});

const run = (actions: readonly ChatAction[], from: ChatState = initialState) =>
  actions.reduce(reduce, from);
const sent: ChatAction = { type: "sent", text: "hello", at: 1000 };
const accepted: ChatAction = { type: "accepted", session_id: "s1", begun_by: "message" };
const ended: ChatAction = { type: "ended", at: 9000 };
const frames = (...list: WireFrame[]): ChatAction => ({ type: "frames", frames: list, at: 3000 });

const kinds = ({ entries }: ChatState) => entries.map(({ kind }) => kind);
const find = <Kind extends EntryContent["kind"]>({ entries }: ChatState, kind: Kind) =>
  entries.filter((entry): entry is Extract<typeof entry, { kind: Kind }> => entry.kind === kind);
const answer = (state: ChatState) =>
  find(state, "assistant")
    .map(({ source }) => source)
    .join("");

describe("a connection that is lost in a turn", () => {
  test("is told, and so is its return, while the answer goes on", () => {
    const lost = run([sent, frames(delta("Half "))]);
    const back = run(
      [
        { type: "connection", change: "lost" },
        { type: "connection", change: "back" },
        frames(delta("and half"), message("Half and half"), done()),
        ended,
      ],
      lost,
    );
    expect(find(back, "notice").map(({ text }) => text)).toEqual([
      "The connection was lost. Reconnecting…",
      "Connected again.",
    ]);
    expect(answer(back)).toBe("Half and half");
    expect(back.turn.outcome).toBe("done");
  });

  test("with a step that begins again shows the whole new text behind what was told", () => {
    const again = run([
      sent,
      frames(delta("One tw")),
      { type: "connection", change: "restarted" },
      frames(delta("One "), delta("two"), message("One two"), done()),
      ended,
    ]);
    expect(kinds(again).slice(1)).toEqual(["user", "assistant", "notice", "assistant"]);
    expect(find(again, "assistant").at(-1)?.source).toBe("One two");
  });
});

describe("a turn", () => {
  test("shows the message at once and is busy until the frames are over", () => {
    const busy = run([sent, accepted, frames(delta("Hi"), message("Hi"), done())]);
    expect(busy).toMatchObject({ activity: "busy", session_id: "s1" });
    const idle = reduce(busy, ended);
    expect(idle).toMatchObject({ activity: "idle", turn: { outcome: "done" } });
    expect(kinds(idle)).toEqual(["header", "user", "assistant"]);
  });

  test("counts tokens over all turns and keeps the size of the context", () => {
    const once = [sent, frames(done({ total_tokens: 10, context_tokens: 7 })), ended];
    expect(run([...once, ...once]).usage).toEqual({ total_tokens: 20, context_tokens: 7 });
    expect(run([...once, sent, frames(done()), ended]).usage).toEqual({
      total_tokens: 10,
      context_tokens: 7,
    });
  });

  test("that ends without done or error is told as lost", () => {
    const lost = run([sent, frames(delta("Hal")), ended]);
    expect(lost.turn.outcome).toBe("lost");
    expect(answer(lost)).toBe("Hal");
    expect(find(lost, "error")[0]?.message).toContain("before the answer was complete");
  });

  test("that is refused says why", () => {
    const refused = run([sent, { type: "ended", at: 2000, failure: "unknown schema" }]);
    expect(refused).toMatchObject({ activity: "idle", turn: { outcome: "lost" } });
    expect(find(refused, "error")[0]?.message).toBe("unknown schema");
  });

  test("that fails keeps what was written and says why", () => {
    const failed = run([sent, frames(delta("Hal"), error("model_error", "no model")), ended]);
    expect(kinds(failed)).toEqual(["header", "user", "assistant", "error"]);
    expect(failed.turn.outcome).toBe("failed");
  });

  test("that is stopped keeps what was written and is no error", () => {
    const stopped = run([
      sent,
      frames(delta("Hal")),
      { type: "stopping" },
      frames(error("cancelled", "stopped")),
      ended,
    ]);
    expect(kinds(stopped)).toEqual(["header", "user", "assistant", "notice"]);
    expect(stopped).toMatchObject({ activity: "idle", turn: { outcome: "stopped" } });
  });

  test("can be stopped only while it runs, and goes on when stopping failed", () => {
    expect(reduce(initialState, { type: "stopping" }).activity).toBe("idle");
    const failed = run([
      sent,
      { type: "stopping" },
      { type: "stop_failed", message: "no connection" },
    ]);
    expect(failed.activity).toBe("busy");
  });
});

describe("an answer", () => {
  test("is told once, whether it comes in chunks, whole, or both", () => {
    const text = "# Title\n\nOne.\n\n- a\n- b\n\nTwo.";
    for (const list of [
      [message(text)],
      [delta(text)],
      [...text].map(delta),
      [delta(text), message(text)],
      [delta(text.slice(0, 9)), message(text)],
    ]) {
      expect(answer(run([sent, frames(...list, done()), ended])).trim()).toBe(text);
    }
  });

  test("moves to the transcript block by block", () => {
    const state = run([sent, frames(delta("One.\n\nTwo.\n\nThr"))]);
    expect(answer(state).trim()).toBe("One.");
    expect(state.answer.tail).toBe("Two.\n\nThr");
    expect(find(state, "assistant").map(({ opening }) => opening)).toEqual([true]);
  });

  test("that a resumed stream tells anew is not mixed with its first half", () => {
    const state = run([
      sent,
      frames(delta("abc"), delta("xyz"), message("abcdefxyz"), done()),
      ended,
    ]);
    expect(find(state, "assistant").map(({ source }) => source)).toEqual(["abcxyz", "abcdefxyz"]);
  });

  test("is ended by a tool call and not repeated by its message", () => {
    const state = run([
      sent,
      frames(
        delta("Let me see."),
        call("c1"),
        message("Let me see."),
        result("c1"),
        delta("Found."),
        message("Found."),
        done(),
      ),
      ended,
    ]);
    expect(kinds(state)).toEqual(["header", "user", "assistant", "tool", "assistant"]);
    expect(find(state, "assistant").map(({ opening }) => opening)).toEqual([true, true]);
  });
});

describe("tools", () => {
  test("run beside each other and end in their own order", () => {
    const state = run([sent, { ...frames(call("c1"), call("c2")), at: 1000 } as ChatAction]);
    expect(state.tools.map(({ call_id }) => call_id)).toEqual(["c1", "c2"]);
    const after = reduce(state, frames(result("c2", true), result("c1")));
    expect(after.tools).toEqual([]);
    expect(
      find(after, "tool").map(({ call: { call_id, result: r } }) => [
        call_id,
        r?.failed,
        r?.duration_ms,
      ]),
    ).toEqual([
      ["c2", true, 2000],
      ["c1", false, 2000],
    ]);
  });

  test("without a result are told at the end", () => {
    expect(
      find(run([sent, frames(call("c1"), done()), ended]), "tool")[0]?.call.result,
    ).toBeUndefined();
  });

  test("are shown with details from when those were asked for, the last turn's again", () => {
    const state = run([
      sent,
      frames(call("c1"), result("c1"), done()),
      ended,
      { type: "details", expanded: true },
    ]);
    expect(find(state, "tool").map(({ expanded }) => expanded)).toEqual([false, true]);
    expect(run([{ type: "details", expanded: false }], state).expanded).toBe(false);
  });
});

describe("thinking", () => {
  test("is gathered, then told with its time", () => {
    const thinking = frame({ event: "thinking", data: { content: "hm " } });
    const state = run([
      sent,
      { ...frames(thinking), at: 1000 } as ChatAction,
      frames(thinking, delta("So")),
    ]);
    expect(find(state, "reasoning")[0]).toMatchObject({ text: "hm hm ", duration_ms: 2000 });
    expect(state.reasoning).toBe("");
  });
});

describe("queued messages", () => {
  test("wait in order and leave one by one", () => {
    const state = run([sent, { type: "queued", text: "a" }, { type: "queued", text: "b" }]);
    expect(state.queue).toEqual(["a", "b"]);
    expect(reduce(state, { type: "queue_taken", count: 1 }).queue).toEqual(["b"]);
  });
});

describe("a restored session", () => {
  const event = (
    event_type: PublicEvent["event_type"],
    payload: PublicEvent["payload"],
    call_id?: string,
    second = 0,
  ) => ({
    id: `${event_type}${second}`,
    event_type,
    payload,
    call_id,
    created_at: `2026-01-01T00:00:0${second}.000Z`,
  });
  const restore = (events: readonly PublicEvent[]) =>
    reduce(initialState, { type: "restored", session_id: "s9", events });

  test("shows what was said, calls with their results and times", () => {
    const state = restore([
      event("user_message", { content: "hello" }),
      event("tool_call", { tool: "search", arguments: { query: "x" } }, "c1", 1),
      event("tool_result", { tool: "search", content: "bad", is_error: true }, "c1", 3),
      event("assistant_message", { content: "Hi **you**" }),
      event("unheard_of" as never, {}),
    ]);
    expect(kinds(state)).toEqual(["header", "notice", "user", "tool", "assistant"]);
    expect(find(state, "tool")[0]?.call).toMatchObject({
      arguments: { query: "x" },
      result: { failed: true, duration_ms: 2000 },
    });
    expect(state).toMatchObject({ session_id: "s9", loading: false });
  });

  test("shows a call that never ended", () => {
    const state = restore([event("tool_call", { tool: "search" }, "c1")]);
    expect(find(state, "tool")[0]?.call.result).toBeUndefined();
  });
});

test("leaving a session forgets its id, its question and its tokens", () => {
  const state = run([
    sent,
    accepted,
    frames(interrupt, done({ total_tokens: 5 })),
    ended,
    { type: "session_left" },
  ]);
  expect(state).toMatchObject({
    session_id: undefined,
    asks: [],
    usage: { total_tokens: 0 },
  });
});

test("entries are numbered without gaps and never change", () => {
  const before = run([sent, frames(delta("One.\n\nTwo."))]);
  const after = run([frames(message("One.\n\nTwo.\n\nThree."), done()), ended], before);
  expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
  expect(after.entries.map(({ id }) => id)).toEqual([...after.entries.keys()]);
});
