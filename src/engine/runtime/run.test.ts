import { describe, expect, test } from "vitest";
import {
  asked,
  called,
  failed,
  interrupted,
  noted,
  result,
  resumed,
  runOf,
  said,
  step,
} from "../../../test/support/facts.ts";
import type { Fact } from "../events/event.ts";
import { decide } from "./run.ts";

const MAX_STEPS = 5;

const started = (call_id: string): Fact => ({ type: "tool_started", call_id, payload: {} });
const gated = (call_id: string): Fact => ({
  type: "confirmation_request",
  call_id,
  payload: { tool: "look", content: "May I?", expires_at: "2026-03-01T12:10:00.000Z" },
});
const approved = (call_id: string): Fact => ({
  type: "confirmation_answer",
  call_id,
  payload: { is_approved: true },
});

/** What is decided, in a word or two. */
function decided(facts: readonly Fact[], max_steps = MAX_STEPS, waiting: string[] = []): string {
  const action = decide(runOf(...facts), max_steps, new Set(waiting));
  switch (action.do) {
    case "call_model":
      return action.last ? "the last step" : "a step";
    case "call_tools":
      return `call ${action.calls.map(({ call_id }) => call_id).join()}`;
    case "finish":
      return `finish: ${action.answer}`;
    default:
      return action.do;
  }
}

describe("what a run does next", () => {
  test.each<[string, Fact[], string]>([
    ["a message", [asked("hi")], "a step"],
    ["an answer", [asked("hi"), said("hello"), step()], "finish: hello"],
    ["a step without a word", [asked("hi"), step()], "finish: "],
    ["a call", [asked("hi"), called("a"), step()], "call a"],
    ["two calls, in their order", [asked("hi"), called("a"), called("b"), step()], "call a,b"],
    ["one of two results", [called("a"), called("b"), step(), result("a")], "call b"],
    ["every result", [called("a"), called("b"), step(), result("b"), result("a")], "a step"],
    ["a word and a call", [said("Let me look."), called("a"), step()], "call a"],
    [
      "the answer after a call",
      [said("Let me look."), called("a"), step(), result("a"), said("Seen."), step()],
      "finish: Seen.",
    ],
    ["a call that a crash cut off", [called("a"), step(), started("a")], "call a"],
    ["a call that was approved", [called("a"), step(), gated("a"), approved("a")], "call a"],
    ["a call that asks a person", [called("a"), step(), interrupted("i", "a")], "wait"],
    [
      "a call beside one that asks a person",
      [called("a"), called("b"), step(), interrupted("i", "a")],
      "call b",
    ],
    [
      "a person's answer",
      [called("a"), step(), interrupted("i", "a"), resumed("i", "a", "yes"), result("a")],
      "a step",
    ],
  ])("after %s", (_what, facts, expected) => {
    expect(decided(facts)).toBe(expected);
  });

  test("while all that is open waits for sub-agents, it waits, too", () => {
    const facts = [called("a"), called("b"), step()];
    expect(decided(facts, MAX_STEPS, ["a"])).toBe("call b");
    expect(decided(facts, MAX_STEPS, ["a", "b"])).toBe("wait");
  });

  test("with its steps used up, it takes one more without tools", () => {
    const facts = [called("a"), step(), result("a")];
    expect(decided(facts, 2)).toBe("a step");
    expect(decided(facts, 1)).toBe("the last step");
  });

  test("after its last step it is done, with or without a word", () => {
    const before = [called("a"), step(), result("a")];
    expect(decided([...before, said("So far."), step({ is_last: true })], 1)).toBe(
      "finish: So far.",
    );
    const silent = [...before, step({ is_last: true })];
    expect(decided(silent, 1)).toBe("finish: ");
    expect(runOf(...silent).is_last).toBe(true);
  });

  test("in a circle, it is told twice and then has to answer", () => {
    const round = ["a", "b", "c", "d"].flatMap((id) => [called(id), step(), failed(id)]);
    expect(decided(round, 50)).toBe("warn");
    const warned = [...round, noted("Stop.", "loop")];
    expect(decided(warned, 50)).toBe("a step");
    const twice = [...warned, ...round, noted("Stop!", "loop")];
    expect(decided([...warned, ...round], 50)).toBe("warn");
    expect(decided(twice, 50)).toBe("a step");
    expect(decided([...twice, ...round], 50)).toBe("the last step");
  });
});

describe("where a run stands", () => {
  test("counts its own steps", () => {
    expect(runOf(asked("hi"), called("a"), step(), result("a"), said("x"), step()).steps).toBe(2);
  });

  test("knows of a call how far it got", () => {
    const run = runOf(called("a", { input: '{"n":1}' }), started("a"), gated("a"), approved("a"));
    expect(run.pending.get("a")).toEqual({
      call_id: "a",
      tool: "look",
      input: '{"n":1}',
      is_started: true,
      gate: { expires_at: "2026-03-01T12:10:00.000Z", answer: { is_approved: true } },
    });
  });

  test("is not moved by what is about a call it does not have", () => {
    const run = runOf(asked("hi"), started("x"), gated("x"), approved("x"), interrupted("i", "x"));
    expect(run.pending.size).toBe(0);
    expect(decided([asked("hi"), started("x")])).toBe("a step");
  });

  test("learns from what a provider counted, and keeps it when one does not count", () => {
    const counted = step({ usage: { prompt_tokens: 100 }, prompt_characters: 450 });
    const run = runOf(counted, step({ prompt_characters: 600 }), step({ usage: {} }));
    expect([run.context_tokens, run.characters_per_token]).toEqual([100, 4.5]);
  });

  test("a trim takes the beginning away, leaves a digest, and shortens results", () => {
    const trimmed: Fact = {
      type: "context_trimmed",
      payload: { content: "…", dropped: 2, digest: "They asked.", shortened: ["a"] },
    };
    const run = runOf(
      asked("one"),
      said("1"),
      asked("two"),
      called("a"),
      result("a", { content: "x".repeat(1_000) }),
      called("b"),
      result("b", { content: "y".repeat(1_000) }),
      trimmed,
    );
    expect(run.digest).toBe("They asked.");
    expect(run.transcript[0]).toEqual(asked("two"));
    const [first, second] = run.transcript.flatMap((fact) =>
      fact.type === "tool_result" ? [fact.payload.content] : [],
    );
    expect(first).toBe(`${"x".repeat(400)}\n[… 600 characters cut]`);
    expect(second).toHaveLength(1_000);
  });

  test("of a sub-agent begins with what it was asked", () => {
    const run = runOf({ type: "run_started", payload: { agent_name: "clerk", input: "File it." } });
    expect(run.transcript).toEqual([asked("File it.")]);
    expect(decide(run, MAX_STEPS)).toEqual({ do: "call_model", last: false });
  });
});
