import { badRequest } from "../../kernel/error.ts";
import { isObject } from "../../kernel/json.ts";
import { EntityType, TOOL_KINDS, type ToolKind } from "./entity-schema.ts";
import { type JsonSchema, type Place, pathOf, resolve } from "./json-schema.ts";

/** How a property's values compare. */
export type FieldKind = "text" | "integer" | "number" | "boolean" | "date" | "date-time" | "enum";

/** A property that entities are filtered and sorted by. */
export interface IndexedField {
  readonly name: string;
  readonly kind: FieldKind;
  /** Of an enum, in the order that they sort by. */
  readonly values?: readonly unknown[];
}

const RANGED: ReadonlySet<FieldKind> = new Set(["integer", "number", "date", "date-time"]);

/** Whether one can ask for what is above or below a value (contract 4.8). */
export const isRanged = ({ kind }: IndexedField): boolean => RANGED.has(kind);

/** A property, or the items of one, that names entities of another type. */
export interface Reference {
  /** The entity's own property that holds it; undefined when it is deeper within. */
  readonly field: string | undefined;
  readonly entity_type: string;
  /** The property of the other type that is named, when it is not its id. */
  readonly ref_field?: string | undefined;
  readonly path: string;
}

/** What the annotations of an entity schema say (contract 2.14). */
export interface EntityShape {
  readonly id_field: string;
  readonly expose_tools: ToolKind[];
  readonly tool_description?: string | undefined;
  readonly summary_fields: string[];
  /** In order of their names, so that their places do not depend on how the schema is written. */
  readonly indexed: IndexedField[];
  readonly references: Reference[];
}

/** Throws `bad_request` naming the annotation. */
export function readShape(root: JsonSchema, places: readonly Place[]): EntityShape {
  if (root.type !== undefined && root.type !== "object") {
    throw badRequest('schema.type: must be "object": an entity is an object');
  }
  const properties = isObject(root.properties) ? root.properties : {};
  const id_field = readIdField(root, properties);
  for (const place of places) {
    if (place.schema["x-index"] === true && !isProperty(place)) {
      throw badRequest(
        `${pathOf(place)}.x-index: only properties of the entity itself can be indexed`,
      );
    }
  }
  return {
    id_field,
    expose_tools: readExposed(root["x-tool-expose"]),
    tool_description: optionalText(root, "x-tool-description"),
    summary_fields: readSummary(root["x-summary-fields"], properties, id_field),
    indexed: readIndexed(root, properties),
    references: places.flatMap(readReference),
  };
}

/** Of the entity itself, not of something within it. */
const isProperty = ({ keys }: Place): boolean => keys.length === 2 && keys[0] === "properties";

function readIdField(root: JsonSchema, properties: JsonSchema): string {
  const id_field = root["x-id-field"];
  if (typeof id_field !== "string" || id_field === "") {
    throw badRequest("schema.x-id-field: is required: the property that holds an entity's id");
  }
  if (!Object.hasOwn(properties, id_field)) {
    throw badRequest(`schema.x-id-field: "${id_field}" is not one of the schema's properties`);
  }
  const property = follow(root, properties[id_field]);
  if (property.type !== undefined && !typesOf(property).includes("string")) {
    throw badRequest(`schema.x-id-field: "${id_field}" must be a string`);
  }
  return id_field;
}

function readExposed(value: unknown): ToolKind[] {
  if (value === undefined) return ["list", "get"];
  const kinds = Array.isArray(value) ? value : [value];
  for (const kind of kinds) {
    if (!(TOOL_KINDS as readonly unknown[]).includes(kind)) {
      throw badRequest(`schema.x-tool-expose: must be a list of ${TOOL_KINDS.join(", ")}`);
    }
  }
  return TOOL_KINDS.filter((kind) => kinds.includes(kind));
}

function readSummary(value: unknown, properties: JsonSchema, id_field: string): string[] {
  if (value === undefined) return [];
  const refuse = (why: string) => badRequest(`schema.x-summary-fields: ${why}`);
  if (!Array.isArray(value)) throw refuse("must be a list of properties");
  for (const name of value) {
    if (typeof name !== "string") throw refuse("must be a list of properties");
    if (name.includes(".")) throw refuse(`"${name}": only properties of the entity itself`);
    if (!Object.hasOwn(properties, name)) throw refuse(`there is no property "${name}"`);
  }
  if (new Set(value).size < value.length) throw refuse("names a property twice");
  return (value as string[]).filter((name) => name !== id_field);
}

function readIndexed(root: JsonSchema, properties: JsonSchema): IndexedField[] {
  return Object.entries(properties)
    .flatMap(([name, property]) => {
      const index = isObject(property) ? property["x-index"] : undefined;
      if (index === undefined || index === false) return [];
      if (index !== true) throw badRequest(`schema.properties.${name}.x-index: must be a boolean`);
      return [readField(root, name, property as JsonSchema)];
    })
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function readField(root: JsonSchema, name: string, property: JsonSchema): IndexedField {
  const { enum: values, format, ...rest } = { ...follow(root, property), ...property };
  if (Array.isArray(values)) return { name, kind: "enum", values };
  const types = typesOf(rest).filter((type) => type !== "null");
  const [type] = types;
  if (types.length === 1 && (type === "integer" || type === "number" || type === "boolean")) {
    return { name, kind: type };
  }
  if (types.length === 1 && type === "string") {
    return { name, kind: format === "date" || format === "date-time" ? format : "text" };
  }
  throw badRequest(
    `schema.properties.${name}.x-index: needs an enum, or one type of string, integer, number and boolean`,
  );
}

const typesOf = ({ type }: JsonSchema): unknown[] => (Array.isArray(type) ? type : [type]);

/** The schema itself, or the one that it refers to. References are known to end. */
function follow(root: JsonSchema, schema: unknown): JsonSchema {
  if (!isObject(schema)) return {};
  return typeof schema.$ref === "string" ? follow(root, resolve(root, schema.$ref)) : schema;
}

function readReference(place: Place): Reference[] {
  const { schema, keys } = place;
  const path = pathOf(place);
  const target = schema["x-ref"];
  const ref_field = schema["x-ref-field"];
  if (target === undefined) {
    if (ref_field === undefined) return [];
    throw badRequest(`${path}.x-ref-field: needs x-ref beside it`);
  }
  if (!EntityType.safeParse(target).success) {
    throw badRequest(`${path}.x-ref: must be the name of an entity type`);
  }
  if (ref_field !== undefined && typeof ref_field !== "string") {
    throw badRequest(`${path}.x-ref-field: must be the name of a property`);
  }
  const [first, field = "", ...rest] = keys;
  const is_shown = first === "properties" && (rest.length === 0 || rest.join() === "items");
  return [{ field: is_shown ? field : undefined, entity_type: target as string, ref_field, path }];
}

function optionalText(schema: JsonSchema, annotation: string): string | undefined {
  const value = schema[annotation];
  if (value === undefined || typeof value === "string") return value;
  throw badRequest(`schema.${annotation}: must be a text`);
}
