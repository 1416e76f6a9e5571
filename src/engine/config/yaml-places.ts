import type { Path, Place } from "./problem.ts";

/**
 * Where the values of a text stand, in numbers: of each value, before those within it, its line, its column,
 * and how many values it is with those.
 */
export type Places = Uint32Array<ArrayBuffer>;

/** Of each map and list, where in the text each value within it stands, by its key. */
export type OffsetsWithin = Map<object, ReadonlyMap<string, number>>;

const LINE = 0;
const COLUMN = 1;
const COUNT = 2;
const NUMBERS = 3;

export function listPlaces(
  value: unknown,
  offset: number,
  offsets: OffsetsWithin,
  placeAt: (offset: number) => Place,
): Places {
  const numbers: number[] = [];
  const list = (within: unknown, at: number): void => {
    const { line, column } = placeAt(at);
    const first = numbers.push(line, column, 0) - NUMBERS;
    for (const [key, item] of entriesOf(within)) {
      list(item, offsets.get(within as object)?.get(key) ?? at);
    }
    numbers[first + COUNT] = (numbers.length - first) / NUMBERS;
  };
  list(value, offset);
  return Uint32Array.from(numbers);
}

/**
 * Tells where a value of a file stands: its key, or as near to it as the text goes. Where a path leads on to
 * nothing, what it got to counts.
 */
export function placeFinder(
  { value, places }: { readonly value: unknown; readonly places: Places },
  file: string | undefined,
): (path: Path) => Place {
  const numberOf = (at: number, which: number): number => places[at * NUMBERS + which] ?? 1;
  /** Made when the first value within is looked up: every problem has a place, and there may be many. */
  const known = new Map<number, ReadonlyMap<string, number>>();
  const placesWithin = (at: number, node: unknown): ReadonlyMap<string, number> => {
    const found = known.get(at) ?? new Map(countedFrom(at + 1, node));
    known.set(at, found);
    return found;
  };
  function* countedFrom(first: number, node: unknown): Iterable<[string, number]> {
    let at = first;
    for (const [key] of entriesOf(node)) {
      yield [key, at];
      at += numberOf(at, COUNT);
    }
  }
  return (path) => {
    let node = value;
    let at = 0;
    for (const step of path) {
      const next = placesWithin(at, node).get(String(step));
      if (next === undefined) break;
      node = (node as Record<string, unknown>)[step];
      at = next;
    }
    return { file, line: numberOf(at, LINE), column: numberOf(at, COLUMN) };
  };
}

const entriesOf = (value: unknown): [string, unknown][] =>
  typeof value === "object" && value !== null ? Object.entries(value) : [];
