import type { Path, Problem } from "./problem.ts";
import type { ParsedYaml } from "./yaml.ts";

/** A file of YAML that can go from one thread to another. */
export interface PackedYaml {
  readonly value: unknown;
  readonly problems: readonly Problem[];
  /** Of each value before those within it: its line, its column, and how many values it is with those. */
  readonly places: Uint32Array;
}

const LINE = 0;
const COLUMN = 1;
const COUNT = 2;
const NUMBERS = 3;

export function packYaml({ value, problems, placeOf }: ParsedYaml): PackedYaml {
  const numbers: number[] = [];
  const pack = (path: Path, within: unknown): void => {
    const { line, column } = placeOf(path);
    const first = numbers.push(line, column, 0) - NUMBERS;
    for (const [key, item] of entriesOf(within)) pack([...path, key], item);
    numbers[first + COUNT] = (numbers.length - first) / NUMBERS;
  };
  pack([], value);
  return { value, problems, places: Uint32Array.from(numbers) };
}

/** Where a path leads on to nothing, what it got to counts, as in the text itself. */
export function unpackYaml(
  { value, problems, places }: PackedYaml,
  file: string | undefined,
): ParsedYaml {
  const numberOf = (at: number, which: number): number => places[at * NUMBERS + which] ?? 1;
  const known = new Map<number, ReadonlyMap<string, number>>();
  const within = (at: number, node: unknown): ReadonlyMap<string, number> => {
    const values = known.get(at) ?? new Map(countedFrom(at + 1, node));
    known.set(at, values);
    return values;
  };
  function* countedFrom(first: number, node: unknown): Iterable<[string, number]> {
    let at = first;
    for (const [key] of entriesOf(node)) {
      yield [String(key), at];
      at += numberOf(at, COUNT);
    }
  }
  const placeOf = (path: Path) => {
    let node = value;
    let at = 0;
    for (const step of path) {
      const next = within(at, node).get(String(step));
      if (next === undefined) break;
      node = (node as Record<string, unknown>)[step];
      at = next;
    }
    return { file, line: numberOf(at, LINE), column: numberOf(at, COLUMN) };
  };
  return { value, problems, placeOf };
}

function entriesOf(value: unknown): Iterable<[string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
