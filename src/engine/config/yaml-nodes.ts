import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { isObject } from "../kernel/json.ts";
import { LIMITS } from "../kernel/limits.ts";
import { errorAt, type Place, type Problem } from "./problem.ts";
import { listPlaces, type OffsetsWithin } from "./yaml-places.ts";

export const TOO_DEEP = `nested deeper than ${LIMITS.body_depth} levels`;
const TOO_MUCH = "too much in one document: its aliases may multiply it";

interface Reading {
  readonly problems: Problem[];
  /** By name; one may be given again later. */
  readonly anchors: Map<string, Node>;
  readonly offsets: OffsetsWithin;
  nodes_left: number;
  characters_left: number;
  placeAt(offset: number): Place;
}

/** A document's nodes as values, in one pass that is bounded, whatever aliases make of them. */
export function readNodes(contents: Node | null, placeAt: (offset: number) => Place) {
  const reading: Reading = {
    problems: [],
    anchors: new Map(),
    offsets: new Map(),
    nodes_left: LIMITS.config_nodes,
    characters_left: 4 * LIMITS.config_document_bytes,
    placeAt,
  };
  const value = convert(reading, contents, 0);
  const { problems, offsets } = reading;
  const places = listPlaces(value, startOf(contents), offsets, placeAt);
  return { value, problems, places };
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
  if (isSeq(node)) return convertList(reading, node, depth);
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
  return target ?? fail(reading, alias, `there is no anchor "&${alias.source}" before this`);
}

function convertScalar(reading: Reading, node: Node, value: unknown): unknown {
  if (typeof value === "string") reading.characters_left -= value.length;
  if (typeof value !== "number" || Number.isFinite(value)) return value;
  return fail(reading, node, "must be a number that has an end");
}

function convertList(reading: Reading, { items }: YAMLSeq, depth: number): unknown[] {
  const nodes = items as (Node | null)[];
  const list = nodes.map((node) => convert(reading, node, depth + 1));
  reading.offsets.set(list, new Map(nodes.map((node, at) => [String(at), startOf(node)])));
  return list;
}

function convertMap(reading: Reading, map: YAMLMap, depth: number): unknown {
  const record: Record<string, unknown> = {};
  const offsets = new Map<string, number>();
  reading.offsets.set(record, offsets);
  for (const pair of map.items.filter((item) => !isMerge(item))) {
    const key = keyOf(reading, map, pair);
    if (key === undefined) continue;
    if (offsets.has(key)) fail(reading, pair.key as Node, `"${key}" is there twice`);
    record[key] = convert(reading, pair.value as Node, depth + 1);
    offsets.set(key, startOf(pair.key as Node));
  }
  for (const merged of mergedInto(map)) {
    const more = convert(reading, merged, depth + 1);
    if (isObject(more)) takeOver(record, offsets, more, reading.offsets.get(more));
    else fail(reading, merged, "<<: takes an alias of a map");
  }
  return record;
}

/** What a map says itself counts. */
function takeOver(
  record: Record<string, unknown>,
  offsets: Map<string, number>,
  more: Readonly<Record<string, unknown>>,
  offsetsOfMore: ReadonlyMap<string, number> = new Map(),
): void {
  for (const [key, offset] of offsetsOfMore) {
    if (offsets.has(key)) continue;
    record[key] = more[key];
    offsets.set(key, offset);
  }
}

function keyOf(reading: Reading, map: YAMLMap, { key }: Pair): string | undefined {
  if (!isScalar(key)) return fail(reading, (key as Node | null) ?? map, "a key must be plain text");
  const text = String(key.value ?? "");
  return text === "__proto__" ? fail(reading, key, `"${text}" can't be a key`) : text;
}

const startOf = (node: Node | null): number => node?.range?.[0] ?? 0;

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
