import { setImmediate as nextTurn } from "node:timers/promises";

/** So long a piece of work has the event loop: every open stream waits meanwhile. */
const HELD_MS = 8;

let until_ms = 0;

/** For long work in small steps: between them, it lets others have the event loop when it is their turn. */
export async function giveWay(): Promise<void> {
  if (performance.now() < until_ms) return;
  await nextTurn();
  until_ms = performance.now() + HELD_MS;
}

/** What becomes of each, one after another; gives way in between. */
export async function eachInTurn<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    results.push(await work(item));
    await giveWay();
  }
  return results;
}
