import { badRequest } from "../../kernel/error.ts";
import { isObject } from "../../kernel/json.ts";
import { LIMITS } from "../../kernel/limits.ts";

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

/** The schemas that an instance is checked by, too. */
export const appliedBy = (place: Place): Place[] => [
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
