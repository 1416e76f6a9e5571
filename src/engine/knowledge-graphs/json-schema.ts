import { badRequest } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import { isObject } from "./canonical.ts";
import { requirePattern } from "./pattern.ts";

export type JsonSchema = Record<string, unknown>;

/** Where a JSON Schema (draft 2020-12) holds further schemas. */
const SINGLE =
  "additionalProperties propertyNames unevaluatedProperties unevaluatedItems items contains not if then else contentSchema".split(
    " ",
  );
const LISTS = "allOf anyOf oneOf prefixItems".split(" ");
const MAPS = "properties patternProperties dependentSchemas".split(" ");
/** Schemas that count only where something refers to them. */
const DEFINITIONS = ["$defs", "definitions"];

/** A schema within another, and the keys that lead to it. */
export interface Place {
  readonly schema: JsonSchema;
  readonly keys: readonly string[];
}

/** As error messages name it. */
export const pathOf = ({ keys }: Place): string => ["schema", ...keys].join(".");

/**
 * Every schema within one, itself first. Throws `bad_request` when there are too many, or when they are
 * nested too deep: what is checked later may then trust the stack.
 */
export function placesOf(schema: JsonSchema): Place[] {
  const places: Place[] = [{ schema, keys: [] }];
  const depths = [0];
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index] as Place;
    const depth = (depths[index] ?? 0) + 1;
    for (const child of [...appliedBy(place), ...definedBy(place)]) {
      if (depth > LIMITS.graph_schema_depth) {
        throw badRequest(
          `${pathOf(child)}: is nested deeper than ${LIMITS.graph_schema_depth} levels`,
        );
      }
      places.push(child);
      depths.push(depth);
    }
    if (places.length > LIMITS.graph_schema_parts) {
      throw badRequest(`schema: has more than ${LIMITS.graph_schema_parts} schemas within`);
    }
  }
  return places;
}

const definedBy = (place: Place): Place[] => inMaps(place, DEFINITIONS);

const appliedBy = (place: Place): Place[] => [
  ...SINGLE.flatMap((keyword) => placeAt(place, [keyword], place.schema[keyword])),
  ...LISTS.flatMap((keyword) => {
    const list = place.schema[keyword];
    if (!Array.isArray(list)) return [];
    return list.flatMap((each, index) => placeAt(place, [keyword, String(index)], each));
  }),
  ...inMaps(place, MAPS),
];

const inMaps = (place: Place, keywords: readonly string[]): Place[] =>
  keywords.flatMap((keyword) => {
    const map = place.schema[keyword];
    if (!isObject(map)) return [];
    return Object.entries(map).flatMap(([name, each]) => placeAt(place, [keyword, name], each));
  });

/** A schema may also be just true or false: nothing to look into. */
const placeAt = ({ keys }: Place, more: readonly string[], schema: unknown): Place[] =>
  isObject(schema) ? [{ schema, keys: [...keys, ...more] }] : [];

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/**
 * Refuses what could make a check of an entity slow or reach outside: references to elsewhere, to itself
 * or to too much in all, other dialects, and patterns that can't be matched in linear time.
 */
export function requireBounded(places: readonly Place[]): void {
  let patterns = 0;
  for (const place of places) {
    requireLocal(place);
    for (const [pattern, where] of patternsOf(place.schema)) {
      patterns += 1;
      requirePattern(pattern, `${pathOf(place)}.${where}`);
    }
  }
  if (patterns > LIMITS.graph_schema_patterns) {
    throw badRequest(`schema: has more than ${LIMITS.graph_schema_patterns} patterns`);
  }
  requireFinite(places);
}

function requireLocal(place: Place): void {
  const { schema } = place;
  const { $schema, $id, $ref } = schema;
  const path = pathOf(place);
  if ($schema !== undefined && String($schema).replace(/#$/, "") !== DIALECT) {
    throw badRequest(
      `${path}.$schema: only draft 2020-12 is understood: leave it out, or ${DIALECT}`,
    );
  }
  if ($id !== undefined && place.keys.length > 0) {
    throw badRequest(`${path}.$id: only the whole schema can have an $id`);
  }
  if ($ref !== undefined && !String($ref).startsWith("#/")) {
    throw badRequest(
      `${path}.$ref: can only refer to a place within the schema, like "#/$defs/address"; another entity type is referred to with x-ref`,
    );
  }
  for (const keyword of ["$dynamicRef", "$recursiveRef"]) {
    if (schema[keyword] !== undefined) throw badRequest(`${path}.${keyword}: is not supported`);
  }
}

function patternsOf({ pattern, patternProperties }: JsonSchema): [string, string][] {
  const named = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  return [
    ...(typeof pattern === "string" ? [[pattern, "pattern"] as [string, string]] : []),
    ...named.map((name): [string, string] => [name, `patternProperties.${name}`]),
  ];
}

/** Small schemas that refer to each other twice and twice again would take for ever. */
function requireFinite(places: readonly Place[]): void {
  const root = places[0] as Place;
  const known = new Map(places.map((place) => [place.schema, place]));
  const weights = new Map<JsonSchema, number>();
  const open = new Set<JsonSchema>();

  const weigh = (place: Place): number => {
    const weighed = weights.get(place.schema);
    if (weighed !== undefined) return weighed;
    if (open.has(place.schema)) {
      throw badRequest(
        `${pathOf(place)}: refers to itself; describe what repeats as an entity type of its own, and refer to it with x-ref`,
      );
    }
    open.add(place.schema);
    const parts = [...appliedBy(place), ...referredBy(place)];
    const weight = parts.reduce((sum, part) => sum + weigh(part), 1);
    open.delete(place.schema);
    weights.set(place.schema, weight);
    if (weight > LIMITS.graph_schema_weight) {
      throw badRequest(
        `${pathOf(place)}: is more than ${LIMITS.graph_schema_weight} schemas, with all that it refers to`,
      );
    }
    return weight;
  };

  const referredBy = (place: Place): Place[] => {
    const { $ref } = place.schema;
    if ($ref === undefined) return [];
    const target = known.get(resolve(root.schema, String($ref)) as JsonSchema);
    if (!target) throw badRequest(`${pathOf(place)}.$ref: there is no schema at ${String($ref)}`);
    return [target];
  };

  weigh(root);
}

/** What a reference like `#/$defs/address` points at. */
export function resolve(root: JsonSchema, reference: string): unknown {
  let found: unknown = root;
  for (const key of reference.slice(2).split("/")) {
    const name = decodePointer(key);
    const holder = found as Record<string, unknown> | null | undefined;
    found =
      typeof holder === "object" && holder && Object.hasOwn(holder, name)
        ? holder[name]
        : undefined;
  }
  return found;
}

function decodePointer(key: string): string {
  try {
    return decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return key;
  }
}
