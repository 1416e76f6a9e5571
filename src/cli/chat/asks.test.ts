import { describe, expect, test } from "vitest";
import type { PublicEvent } from "#engine/events/event.ts";
import type { WireEvent, WireFrame } from "#engine/events/wire.ts";
import type { AnswerKey } from "./answer-keys.ts";
import { keyTarget, takesKeys, takesText } from "./ask-focus.ts";
import { activeAsk } from "./asks.ts";
import type { EntryContent } from "./chat-entries.ts";
import { type ChatState, initialState } from "./chat-model.ts";
import { type ChatAction, reduce } from "./chat-state.ts";

const frame = (event: WireEvent): WireFrame => ({ ...event, id: 1, turn_id: "turn" });
const call = (call_id: string, input = '{"id":7}') =>
  frame({ event: "tool_call", data: { call_id, tool: "delete", input } });
const result = (call_id: string, has_error = false) =>
  frame({
    event: "tool_result",
    data: { call_id, tool: "delete", content: "gone", summary: "gone", has_error },
  });
const confirmation = (call_id: string) =>
  frame({
    event: "confirmation",
    data: { call_id, tool: "delete", content: "Delete it?", session_id: "s1" },
  });
const done = frame({ event: "done", data: { session_id: "s1" } });
const request = (interrupt_id: string, schema: object) =>
  frame({
    event: "interrupt_request",
    data: {
      interrupt_id,
      content: JSON.stringify({ interrupt_id, kind: "structured_output", schema }),
    },
  });
const questions = [{ id: "why", label: "Why?", type: "text" }];
const form = request("i1", { title: "Form", questions });
const resumed = frame({
  event: "interrupt_resume",
  data: {
    interrupt_id: "i1",
    content: JSON.stringify({
      interrupt_id: "i1",
      payload: { answers: [{ question_id: "why", value: "fun" }] },
    }),
  },
});

const run = (actions: readonly ChatAction[], from: ChatState = initialState) =>
  actions.reduce(reduce, from);
const sent: ChatAction = { type: "sent", text: "hello", at: 1000 };
const ended: ChatAction = { type: "ended", at: 9000 };
const frames = (...list: WireFrame[]): ChatAction => ({ type: "frames", frames: list, at: 3000 });
const key = (pressed: AnswerKey): ChatAction => ({
  type: "ask_key",
  key: pressed,
  room: { columns: 60, rows: 20 },
});
const letter = (text: string): AnswerKey => ({ type: "insert", text });
const press = (...letters: string[]) => letters.map((each) => key(letter(each)));
const enter = key({ type: "enter" });
const leave = key({ type: "leave" });

const told = ({ entries }: ChatState) => entries.map(({ kind }) => kind).slice(2);
const find = <Kind extends EntryContent["kind"]>({ entries }: ChatState, kind: Kind) =>
  entries.filter((entry): entry is Extract<typeof entry, { kind: Kind }> => entry.kind === kind);
const activeKey = (state: ChatState) => {
  const open = activeAsk(state);
  return open?.kind === "approval" ? open.ask.call_id : open?.ask.interrupt_id;
};

describe("an approval", () => {
  const asked = run([sent, frames(call("c1"), call("c2"), confirmation("c1"), confirmation("c2"))]);

  test("is asked with what the model wrote, one after the other, each once", () => {
    expect(activeAsk(asked)).toMatchObject({ ask: { call_id: "c1", input: '{"id":7}' } });
    expect(run([frames(confirmation("c1"))], asked).asks).toHaveLength(2);
    const next = run([...press("y"), { type: "verdict_taken", key: "c1", at: 4000 }], asked);
    expect(find(next, "verdict")[0]).toMatchObject({
      tool: "delete",
      verdict: { is_approved: true },
    });
    expect(activeKey(next)).toBe("c2");
  });

  test("is given or refused by exactly one letter", () => {
    const answer = (...actions: ChatAction[]) => activeAsk(run(actions, asked))?.sent;
    expect(answer(...press("y"))).toEqual({ is_approved: true, reason: "" });
    expect(answer(...press("n"))).toEqual({ is_approved: false, reason: "" });
    expect(answer(...press("yes"), ...press(" "), enter, leave)).toBeUndefined();
    expect(answer(key({ type: "paste", text: "y" }))).toBeUndefined();
  });

  test("is refused with a reason that is written on the spot", () => {
    const writing = run(press("r", "y", "no\nmoney"), asked);
    expect(activeAsk(writing)?.sent).toBeUndefined();
    expect(activeAsk(run([enter], writing))?.sent).toEqual({
      is_approved: false,
      reason: "yno money",
    });
    expect(activeAsk(run([leave, ...press("y")], writing))?.sent).toMatchObject({
      is_approved: true,
    });
  });

  test("that is on its way takes no other answer", () => {
    expect(activeAsk(run(press("y", "n"), asked))?.sent).toMatchObject({ is_approved: true });
  });

  test("goes with the call's result, and says who answered", () => {
    const here = run([...press("y"), frames(result("c1"))], asked);
    expect(told(here).slice(-2)).toEqual(["verdict", "tool"]);
    expect(run([{ type: "verdict_taken", key: "c1", at: 4000 }], here)).toEqual(here);
    const elsewhere = run([frames(result("c1"))], asked);
    expect(find(elsewhere, "notice")[0]?.text).toBe("delete was approved.");
    const late = run([frames(result("c1", true))], asked);
    expect(find(late, "notice")[0]?.text).toContain("not in time");
    expect(activeKey(late)).toBe("c2");
  });

  test("of a sub-agent goes with its answer, before the sub-agent is done", () => {
    const answered = (answer: string) =>
      frame({
        event: "interrupt_resume",
        data: { interrupt_id: "c1", content: JSON.stringify({ payload: { answers: [answer] } }) },
      });
    const elsewhere = run([frames(answered("approve"))], asked);
    expect(find(elsewhere, "notice")[0]?.text).toBe("delete was approved.");
    expect(activeKey(elsewhere)).toBe("c2");
    const refused = run([frames(answered("reject: nobody answered in time"))], asked);
    expect(find(refused, "notice")[0]?.text).toContain("was not approved");
    const here = run([...press("y"), frames(answered("approve"))], asked);
    expect(find(here, "verdict")).toHaveLength(1);
    expect(run([{ type: "verdict_taken", key: "c1", at: 4000 }], here)).toEqual(here);
  });

  test("that did not get through can be given again, unless it is too late", () => {
    const failed = { type: "answer_failed", key: "c1", message: "no route", at: 4000 } as const;
    const again = run([...press("y"), { ...failed, is_gone: false }], asked);
    expect(activeAsk(again)).toMatchObject({ ask: { call_id: "c1" }, sent: undefined });
    expect(find(again, "error")[0]?.message).toBe("Not answered: no route");
    const gone = run([...press("y"), { ...failed, is_gone: true }], asked);
    expect(find(gone, "notice")[0]?.text).toBe("delete: answered elsewhere, or too late.");
    expect(activeKey(gone)).toBe("c2");
  });

  test("is over with its turn", () => {
    expect(run([ended], asked).asks).toEqual([]);
  });

  test("scrolls long arguments as far as they go, and writes them all out", () => {
    const input = JSON.stringify(Array.from({ length: 40 }, (_, index) => index));
    const long = run([sent, frames(call("c1", input), confirmation("c1"))]);
    const scroll = (state: ChatState) => {
      const open = activeAsk(state);
      return open?.kind === "approval" ? open.approval.scroll : undefined;
    };
    const page = key({ type: "page", direction: "down" });
    expect(scroll(run([page, key({ type: "move", direction: "up" })], long))).toBe(11);
    expect(scroll(run([page, page, page, page, page], long))).toBe(30);
    expect(find(run(press("v"), long), "arguments")[0]?.text.split("\n")).toHaveLength(42);
  });
});

describe("a form", () => {
  const paused = run([sent, frames(form, done), ended]);

  test("is asked when its turn is over, and once", () => {
    expect(activeAsk(run([sent, frames(form)]))).toBeUndefined();
    expect(activeKey(paused)).toBe("i1");
    expect(run([frames(form)], paused).asks).toHaveLength(1);
  });

  test("becomes its answers when the server takes them up", () => {
    const answered = run([...press("fun"), enter], paused);
    expect(activeAsk(answered)?.sent).toEqual([{ question_id: "why", value: "fun" }]);
    const going_on = run(
      [
        { type: "resumed", at: 9500 },
        { type: "accepted", session_id: "s1", begun_by: "answer" },
        frames(resumed),
      ],
      answered,
    );
    expect(find(going_on, "answered")[0]).toMatchObject({
      title: "Form",
      answers: [{ label: "Why?", text: "fun" }],
    });
    expect(going_on.asks).toEqual([]);
  });

  test("whose answer did not get through waits with what was given", () => {
    const failed = run(
      [
        ...press("fun"),
        enter,
        { type: "resumed", at: 9500 },
        { type: "ended", at: 9600, failure: "no route" },
      ],
      paused,
    );
    expect(activeAsk(run([enter], failed))?.sent).toEqual([{ question_id: "why", value: "fun" }]);
  });

  test("is left without an answer by a message that the server accepts", () => {
    const sending = run([sent], paused);
    expect(sending.asks).toHaveLength(1);
    const accepted = reduce(sending, { type: "accepted", session_id: "s1", begun_by: "message" });
    expect(accepted.asks).toEqual([]);
    expect(find(accepted, "notice")[0]?.text).toContain("left without an answer");
  });

  test("shows what is more than questions in the transcript, and a table asks nothing", () => {
    const rows = [{ label: "Total", value: "3" }];
    const table = run([sent, frames(request("i2", { title: "Sum", rows }), done), ended]);
    expect(told(table)).toEqual(["block"]);
    expect(table.asks).toEqual([]);
    expect(told(paused)).toEqual([]);
    const both = run([sent, frames(request("i3", { rows, questions }), done), ended]);
    expect(told(both)).toEqual(["block"]);
    expect(activeKey(both)).toBe("i3");
  });
});

describe("the keyboard", () => {
  const asked = run([sent, frames(call("c1"), confirmation("c1"))]);
  const soon = 3100;
  const later = 5000;

  test("belongs to the question, unless a message is begun", () => {
    expect(keyTarget(asked, true, letter("y"), later)).toBe("ask");
    expect(keyTarget(asked, true, undefined, later)).toBe("nobody");
    expect(keyTarget(asked, false, letter("y"), later)).toBe("composer");
    expect(keyTarget(initialState, true, letter("y"), later)).toBe("composer");
  });

  test("stays with somebody who was just about to write", () => {
    expect(keyTarget(asked, true, letter("y"), soon)).toBe("composer");
    expect(keyTarget(asked, true, { type: "enter" }, soon)).toBe("nobody");
    expect(keyTarget(asked, true, { type: "leave" }, soon)).toBe("ask");
  });

  test("does not answer the next question with a key for the last one", () => {
    const two = run([frames(call("c2"), confirmation("c2")), ...press("y")], asked);
    const next = reduce(two, { type: "verdict_taken", key: "c1", at: 6000 });
    expect(keyTarget(next, true, letter("y"), 6100)).toBe("nobody");
    expect(keyTarget(next, true, letter("y"), 6900)).toBe("ask");
  });

  test("writes text only where text is asked for", () => {
    expect(takesText(asked)).toBe(false);
    expect(takesText(run(press("r"), asked))).toBe(true);
    expect(takesText(run([sent, frames(form, done), ended]))).toBe(true);
    expect(takesText(initialState)).toBe(false);
  });

  test("goes to the message with esc, and comes back when it is asked to", () => {
    const left = run([leave], asked);
    expect(left.asks).toHaveLength(1);
    expect(takesKeys(left, true)).toBe(false);
    const back = reduce(left, { type: "ask_focus", focus: "ask", at: 0 });
    expect(takesKeys(back, false)).toBe(true);
  });
});

describe("a session that is opened again", () => {
  const event = (
    event_type: PublicEvent["event_type"],
    payload: PublicEvent["payload"],
    call_id?: string,
  ): PublicEvent => ({
    id: event_type,
    event_type,
    payload,
    call_id,
    created_at: "2026-01-01T00:00:00Z",
  });
  const hello = event("user_message", { content: "hello" });
  const asks = event("interrupt_request", { content: form.data && textOf(form) }, "i1");
  const answers = event("interrupt_resume", { content: textOf(resumed) }, "i1");
  const restore = (...events: PublicEvent[]) =>
    reduce(initialState, { type: "restored", session_id: "s9", events });

  test("asks again what is still open", () => {
    expect(activeKey(restore(hello, asks))).toBe("i1");
  });

  test("shows what was answered, and what was left", () => {
    const answered = restore(hello, asks, answers);
    expect(answered.asks).toEqual([]);
    expect(find(answered, "answered")[0]?.answers).toEqual([{ label: "Why?", text: "fun" }]);
    const left = restore(hello, asks, hello);
    expect(left.asks).toEqual([]);
    expect(told(left)).toEqual(["user", "user", "notice"]);
  });
});

function textOf(told_by: WireFrame): string {
  return "content" in told_by.data ? told_by.data.content : "";
}
