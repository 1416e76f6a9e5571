import { expect, test } from "vitest";
import { eachInTurn } from "./give-way.ts";

/** Holds the event loop. */
function work(for_ms: number): void {
  const until_ms = performance.now() + for_ms;
  while (performance.now() < until_ms);
}

test("long work lets others have the event loop between its steps", async () => {
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 0);
  await eachInTurn(Array.from({ length: 20 }), () => work(5));
  clearInterval(others);
  expect(turns).toBeGreaterThan(3);
});

test("short work is done at once", async () => {
  await new Promise(setImmediate);
  let is_next_turn = false;
  setImmediate(() => {
    is_next_turn = true;
  });
  expect(await eachInTurn([1, 2, 3], (number) => number * 2)).toEqual([2, 4, 6]);
  expect(is_next_turn).toBe(false);
});
