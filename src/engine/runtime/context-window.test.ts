import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asked, called, noted, result, runOf, said, step } from "../../../test/support/facts.ts";
import type { Fact, TrimPayload } from "../events/event.ts";
import { charactersOf, planTrim } from "./context-window.ts";
import { toPrompt } from "./prompt.ts";
import { evolve, type Run } from "./run.ts";

const SIZE = 1_000;
/** What fits into it before a provider has counted: 2.5 characters a token, a tenth kept free. */
const LIMIT = 2_250;

const text = (length: number): string => "x".repeat(length);

/** One exchange of about so many characters. */
const exchange = (n: number, length = 500): Fact[] => [
  asked(`question ${n}`),
  said(text(length)),
  step(),
];
const exchanges = (count: number): Fact[] =>
  Array.from({ length: count }, (_, n) => exchange(n)).flat();

const plan = (run: Run, size = SIZE, fixed = 0) => planTrim(run, fixed, size);

function applied(run: Run, payload: TrimPayload): Run {
  evolve(run, { type: "context_trimmed", payload }, 0);
  return run;
}

const questions = ({ transcript }: Run): string[] =>
  transcript.flatMap((fact) => (fact.type === "user_message" ? [fact.payload.content] : []));

describe("a conversation that is too long", () => {
  test("is left alone while it fits, and when nothing limits it", () => {
    const run = runOf(...exchanges(4), asked("now"));
    expect(charactersOf(run)).toBeLessThan(LIMIT);
    expect(plan(run)).toBeUndefined();
    expect(plan(runOf(...exchanges(100)), 0)).toBeUndefined();
  });

  test("loses whole exchanges from the front, some more than it must", () => {
    const run = runOf(...exchanges(5), asked("now"));
    const payload = plan(run);
    expect(payload).toMatchObject({ dropped: 6, shortened: [] });
    expect(payload?.content).toBe(
      "To fit the context of 1000 tokens, 6 earlier messages were left out.",
    );
    applied(run, payload as TrimPayload);
    expect(questions(run)).toEqual(["question 3", "question 4", "now"]);
    expect(charactersOf(run)).toBeLessThan(LIMIT * 0.8);
    expect(plan(run)).toBeUndefined();
  });

  test("counts the system prompt and the tools, too", () => {
    const run = runOf(...exchanges(2), asked("now"));
    expect(plan(run)).toBeUndefined();
    expect(plan(run, SIZE, 1_500)).toMatchObject({ dropped: 4 });
  });

  test("keeps the running exchange whole, however long it is", () => {
    const run = runOf(...exchanges(2), asked("now"), said(text(10_000)));
    applied(run, plan(run) as TrimPayload);
    expect(run.transcript).toEqual([asked("now"), said(text(10_000))]);
    expect(plan(run)).toBeUndefined();
  });

  test("of one exchange has its oldest tool results shortened, as many as it takes", () => {
    const results = ["a", "b", "c"].flatMap((id) => [
      called(id),
      step(),
      result(id, { content: text(1_200) }),
    ]);
    const run = runOf(asked("now"), ...results);
    const payload = plan(run);
    expect(payload).toMatchObject({ dropped: 0, shortened: ["a", "b"] });
    expect(payload?.content).toContain("2 tool results were shortened");
    applied(run, payload as TrimPayload);
    expect(charactersOf(run)).toBeLessThan(LIMIT);
    expect(plan(run)).toBeUndefined();
  });

  test("of a sub-agent is its one exchange", () => {
    const begun: Fact = {
      type: "run_started",
      payload: { agent_name: "clerk", input: text(5_000) },
    };
    const run = runOf(begun, called("a"), step(), result("a", { content: text(5_000) }));
    expect(plan(run)).toMatchObject({ dropped: 0, shortened: ["a"] });
  });
});

describe("what a provider counted", () => {
  const counted = (prompt_tokens: number) =>
    step({ usage: { prompt_tokens }, prompt_characters: 4_000 });

  test("tells how much fits", () => {
    const facts = [...exchanges(6), asked("now")];
    expect(plan(runOf(...facts))).toBeDefined();
    expect(plan(runOf(counted(1_000), ...facts))).toBeUndefined();
    expect(plan(runOf(counted(4_000), ...exchanges(2), asked("now")))).toBeDefined();
  });

  test("is not believed when it can't be", () => {
    expect(plan(runOf(counted(1), ...exchanges(30), asked("now")))).toBeDefined();
    expect(plan(runOf(counted(1_000_000), asked("hi"), asked("now")))).toBeUndefined();
  });
});

describe("the digest of what was left out", () => {
  /** A conversation of so many turns, trimmed before each step as in a session. */
  function session(turns: number, question: (n: number) => string, size = SIZE): Run {
    const run = runOf();
    for (let n = 0; n < turns; n += 1) {
      evolve(run, asked(question(n)), 0);
      const payload = plan(run, size);
      if (payload) applied(run, payload);
      evolve(run, said(text(500)), 0);
    }
    return run;
  }

  test("tells in the person's words what was asked, oldest first", () => {
    const { digest = "" } = session(9, (n) => `question\n  ${n}`);
    const [head, ...lines] = digest.split("\n");
    expect(head).toMatch(/left out to fit your context/);
    expect(lines.slice(0, 3)).toEqual(["- question 0", "- question 1", "- question 2"]);
  });

  test("grows to twenty lines, and of longer ones has the last", () => {
    const lines =
      session(100, (n) => `${n}`, 4_000)
        .digest?.split("\n")
        .slice(1) ?? [];
    expect(lines).toHaveLength(20);
    const numbers = lines.map((line) => Number(line.slice(2)));
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, n) => (numbers[0] ?? 0) + n));
    expect(numbers.at(-1)).toBeGreaterThan(80);
  });

  test("never takes much of a small context, whatever was asked", () => {
    const { digest = "" } = session(60, (n) => `${n} ${"why? ".repeat(60)}`);
    expect(digest.length).toBeLessThan(LIMIT * 0.3);
    expect(digest).toContain("…");
  });
});

/** Calls with their results, in an order of the provider's choosing. */
const steps = fc.array(
  fc.record({
    text: fc.nat({ max: 300 }),
    results: fc.array(fc.nat({ max: 3_000 }), { maxLength: 3 }),
    note: fc.boolean(),
    is_reversed: fc.boolean(),
  }),
  { maxLength: 4 },
);
const conversation = fc.array(steps, { minLength: 1, maxLength: 8 }).map((parts) => {
  let id = 0;
  return parts.flatMap((turn, n) => [
    asked(`question ${n}`),
    ...turn.flatMap((part) => {
      const calls = part.results.map((length) => ({ id: `c${++id}`, length }));
      const results = calls.map((call) => result(call.id, { content: text(call.length) }));
      return [
        ...(part.text > 0 ? [said(text(part.text))] : []),
        ...calls.map((call) => called(call.id)),
        step(),
        ...(part.is_reversed ? results.reverse() : results),
        ...(part.note ? [noted("Stop.")] : []),
      ];
    }),
  ]);
});

const idsOf = (facts: readonly Fact[], type: "tool_call" | "tool_result"): string[] =>
  facts.flatMap((fact) => (fact.type === type && "call_id" in fact ? [fact.call_id] : []));

describe("whatever the conversation", () => {
  test("trimming leaves an end of it that is whole, and comes to an end itself", () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 100, max: 4_000 }), (facts, size) => {
        const run = runOf(...facts);
        const before = [...run.transcript];
        const running = before.findLastIndex(({ type }) => type === "user_message");
        for (let rounds = 0; ; rounds += 1) {
          const payload = planTrim(run, 100, size);
          if (!payload) break;
          expect(rounds).toBeLessThanOrEqual(before.length);
          applied(run, payload);
        }
        const { transcript } = run;
        const kept = before.slice(before.length - transcript.length);
        expect(transcript.map(({ type }) => type)).toEqual(kept.map(({ type }) => type));
        expect(transcript.length).toBeGreaterThanOrEqual(before.length - running);
        expect(transcript[0]?.type).toBe("user_message");
        expect(idsOf(transcript, "tool_result").sort()).toEqual(
          idsOf(transcript, "tool_call").sort(),
        );
        const prompt = JSON.stringify(toPrompt("", run));
        expect(prompt).not.toContain('"no result"');
      }),
    );
  });

  test("it fits afterwards, or only the running exchange is left with nothing to shorten", () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 1_000, max: 4_000 }), (facts, size) => {
        const run = runOf(...facts);
        for (let payload = plan(run, size); payload; payload = plan(run, size)) {
          applied(run, payload);
        }
        const fits = charactersOf(run) <= size * 2.5 * 0.9;
        const long = run.transcript.filter(
          (fact) => fact.type === "tool_result" && fact.payload.content.length > 800,
        );
        expect(fits || (questions(run).length === 1 && long.length === 0)).toBe(true);
      }),
    );
  });
});
