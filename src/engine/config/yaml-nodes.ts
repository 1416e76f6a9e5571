import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import { LIMITS } from "../kernel/limits.ts";
import { errorAt, type Path, type Place, type Problem } from "./problem.ts";

export const TOO_DEEP = `nested deeper than ${LIMITS.body_depth} levels`;
const TOO_MUCH = "too much in one document: its aliases may multiply it";

interface Reading {
  readonly problems: Problem[];
  readonly anchors: Map<string, Node>;
  /** What an alias stood for where it was met; a name may be given again later. */
  readonly targets: WeakMap<Node, Node>;
  /** A map's entries by key, made when the first of them is looked up. */
  readonly pairs: WeakMap<YAMLMap, ReadonlyMap<string, Pair>>;
  nodes_left: number;
  characters_left: number;
  placeAt(offset: number): Place;
}

/** A document's nodes as values, in one pass that is bounded, whatever aliases make of them. */
export function readNodes(contents: Node | null, placeAt: (offset: number) => Place) {
  const reading: Reading = {
    problems: [],
    anchors: new Map(),
    targets: new WeakMap(),
    pairs: new WeakMap(),
    nodes_left: LIMITS.config_nodes,
    characters_left: 4 * LIMITS.config_document_bytes,
    placeAt,
  };
  const value = convert(reading, contents, 0);
  const offsetOf = (path: Path) => findOffset(reading, contents, path);
  return { value, problems: reading.problems, offsetOf };
}

function fail({ problems, placeAt }: Reading, node: Node, message: string): undefined {
  problems.push(errorAt(placeAt(startOf(node)), message));
  return undefined;
}

function convert(reading: Reading, node: Node | null | undefined, depth: number): unknown {
  if (!node) return null;
  if (isSpent(reading, node)) return undefined;
  if (depth > LIMITS.body_depth) return fail(reading, node, TOO_DEEP);
  if (isAlias(node)) return convert(reading, follow(reading, node), depth + 1);
  if ("anchor" in node && node.anchor) reading.anchors.set(node.anchor, node);
  if (isMap(node)) return convertMap(reading, node, depth);
  if (isSeq(node)) return node.items.map((item) => convert(reading, item as Node, depth + 1));
  return isScalar(node) ? convertScalar(reading, node, node.value) : null;
}

/** Said once: the rest of a bomb is not worth a message each. */
function isSpent(reading: Reading, node: Node): boolean {
  reading.nodes_left -= 1;
  if (reading.nodes_left >= 0 && reading.characters_left >= 0) return false;
  if (reading.nodes_left !== Number.NEGATIVE_INFINITY) fail(reading, node, TOO_MUCH);
  reading.nodes_left = Number.NEGATIVE_INFINITY;
  return true;
}

function follow(reading: Reading, alias: Alias): Node | undefined {
  const target = reading.anchors.get(alias.source);
  if (!target) return fail(reading, alias, `there is no anchor "&${alias.source}" before this`);
  reading.targets.set(alias, target);
  return target;
}

function convertScalar(reading: Reading, node: Node, value: unknown): unknown {
  if (typeof value === "string") reading.characters_left -= value.length;
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  return fail(reading, node, "must be a number that has an end");
}

function convertMap(reading: Reading, map: YAMLMap, depth: number): unknown {
  const record: Record<string, unknown> = {};
  for (const pair of map.items.filter((item) => !isMerge(item))) {
    const key = keyOf(reading, map, pair);
    if (key === undefined) continue;
    if (Object.hasOwn(record, key)) fail(reading, pair.key as Node, `"${key}" is there twice`);
    record[key] = convert(reading, pair.value as Node, depth + 1);
  }
  for (const merged of mergedInto(map)) {
    const more = convert(reading, merged, depth + 1);
    const is_map = typeof more === "object" && more !== null && !Array.isArray(more);
    if (is_map) Object.assign(record, { ...more, ...record });
    else fail(reading, merged, "<<: takes an alias of a map");
  }
  return record;
}

function keyOf(reading: Reading, map: YAMLMap, { key }: Pair): string | undefined {
  if (!isScalar(key)) return fail(reading, (key as Node | null) ?? map, "a key must be plain text");
  const text = String(key.value ?? "");
  return text === "__proto__" ? fail(reading, key, `"${text}" can't be a key`) : text;
}

/** Goes down a path; where it leads on to nothing, what it got to counts. */
function findOffset(reading: Reading, contents: Node | null, path: Path): number {
  let node = resolved(reading, contents);
  let offset = node ? startOf(node) : 0;
  for (const step of path) {
    const found = node && stepInto(reading, node, step);
    if (!found) return offset;
    offset = startOf(found.at);
    node = resolved(reading, found.value);
  }
  return offset;
}

function resolved({ targets }: Reading, node: Node | null): Node | undefined {
  let found = node ?? undefined;
  while (found && isAlias(found)) found = targets.get(found);
  return found;
}

interface Found {
  readonly at: Node;
  readonly value: Node | null;
}

function stepInto(reading: Reading, node: Node, step: string | number): Found | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(step)] as Node | undefined;
    return item && { at: item, value: item };
  }
  if (!isMap(node)) return undefined;
  const own = pairsOf(reading, node).get(String(step));
  if (own) return { at: own.key as Node, value: own.value as Node | null };
  return mergedInto(node).reduce<Found | undefined>((found, merged) => {
    const target = resolved(reading, merged);
    return found ?? (target && stepInto(reading, target, step));
  }, undefined);
}

/** Every problem has a place, and a document may have many. */
function pairsOf({ pairs }: Reading, map: YAMLMap): ReadonlyMap<string, Pair> {
  const known = pairs.get(map);
  if (known) return known;
  // Of a key that is there twice, the first counts: it is set last.
  const keyed = map.items.filter(({ key }) => isScalar(key)).reverse();
  const made = new Map(keyed.map((pair) => [String((pair.key as { value: unknown }).value), pair]));
  pairs.set(map, made);
  return made;
}

const startOf = (node: Node): number => node.range?.[0] ?? 0;

/** In quotes, it is a key like any other. */
const isMerge = ({ key }: Pair): boolean =>
  isScalar(key) && key.value === "<<" && key.type === "PLAIN";

/** What `<<:` names: one map, or several of which the first counts most. */
function mergedInto(map: YAMLMap): Node[] {
  return map.items.filter(isMerge).flatMap(({ value }) => {
    const node = value as Node | null;
    if (isSeq(node)) return node.items as Node[];
    return node ? [node] : [];
  });
}
