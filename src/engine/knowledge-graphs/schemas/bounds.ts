import { badRequest } from "../../kernel/error.ts";
import { isObject } from "../../kernel/json.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { appliedBy, type JsonSchema, type Place, pathOf, resolve } from "./json-schema.ts";
import { requirePattern } from "./pattern.ts";

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
