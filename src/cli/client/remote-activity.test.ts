import { expect, test } from "vitest";
import { EngineError } from "#engine/kernel/error.ts";
import { nextActivity } from "./remote-activity.ts";

const answer = (resume_id: number, ...ids: number[]): Response => {
  const frames = ids.map((id) => `id: ${id}\nevent: message\ndata: {"content":"x"}\n\n`);
  return new Response(frames.join(""), { headers: { "X-Resume-Id": String(resume_id) } });
};

/** A server that answers each connection with the next of these. */
function serverOf(...answers: (Response | EngineError)[]) {
  const asked: number[] = [];
  const open = async (after: number) => {
    asked.push(after);
    const next = answers.shift();
    if (next instanceof Response) return next;
    throw next ?? new Error("not asked for");
  };
  return { open, asked };
}

const never = new AbortController().signal;
const unreached = new EngineError("unavailable", "no answer");

test("what a session has already is not news, what comes behind it is", async () => {
  const { open, asked } = serverOf(answer(7, 3, 7), answer(9, 9));
  expect(await nextActivity(open, undefined, never)).toBe(7);
  expect(asked).toEqual([0, 7]);
});

test("a server that is away is waited for, from where it was left", async () => {
  const { open, asked } = serverOf(unreached, answer(5), unreached, answer(5, 6));
  expect(await nextActivity(open, 5, never)).toBe(5);
  expect(asked).toEqual([5, 5, 5, 5]);
});

test("a session that can't be followed is not asked for again", async () => {
  const { open, asked } = serverOf(new EngineError("forbidden", "no"));
  expect(await nextActivity(open, 5, never)).toBeUndefined();
  expect(asked).toEqual([5]);
});

test("nobody waits any more once the signal came", async () => {
  const leaving = new AbortController();
  const { open, asked } = serverOf(unreached);
  const waiting = nextActivity(open, 5, leaving.signal);
  leaving.abort();
  expect(await waiting).toBeUndefined();
  expect(asked).toEqual([5]);
});
