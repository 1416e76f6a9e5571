import { setImmediate as nextTurn } from "node:timers/promises";

/** So long a piece of work has the event loop: every open stream waits meanwhile. */
const HELD_MS = 8;

/** Since when long work has had this turn of the event loop. */
let held_since_ms: number | undefined;

/** For long work in small steps: between them, it lets others have the event loop when it is their turn. */
export async function giveWay(): Promise<void> {
  if (held_since_ms === undefined) return hold();
  if (performance.now() - held_since_ms < HELD_MS) return;
  await nextTurn();
  hold();
}

function hold(): void {
  held_since_ms = performance.now();
  setImmediate(() => {
    held_since_ms = undefined;
  });
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
