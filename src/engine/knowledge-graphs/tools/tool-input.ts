import { z } from "zod";
import { badRequest } from "../../kernel/error.ts";
import { isObject } from "../../kernel/json.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { EntityId } from "../entities/entity.ts";
import { type AskedFilter, type AskedSort, isOperator, readSort } from "../entities/filters.ts";
import type { CheckedSchema } from "../schemas/entity-schemas.ts";
import type { JsonSchema } from "../schemas/json-schema.ts";
import { type FieldKind, type IndexedField, isRanged } from "../schemas/shape.ts";

const { default: USUAL, max: MOST } = LIMITS.graph_page;

/** What a model is told of a value; what it gives is read by the field's declared type anyway. */
const VALUES: Readonly<Record<Exclude<FieldKind, "enum">, JsonSchema>> = {
  text: { type: "string" },
  integer: { type: "integer" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  date: { type: "string", description: "like 2026-03-01" },
  "date-time": { type: "string", description: "like 2026-03-01T12:00:00Z" },
};

/** A list tool's arguments. */
export interface ListInput {
  readonly filters?: Record<string, unknown> | undefined;
  readonly sort?: AskedSort[] | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Anything unknown is refused: a filter that is overlooked would make a wrong answer look right. */
export function listInput({ shape }: CheckedSchema, schema: JsonSchema): z.ZodType<ListInput> {
  const { indexed } = shape;
  const page = {
    limit: z.int().min(1).max(MOST).default(USUAL),
    offset: z.int().min(0).default(0),
  };
  const [first, ...others] = indexed.map(({ name }) => name);
  if (first === undefined) return z.strictObject(page);
  const properties = isObject(schema.properties) ? schema.properties : {};
  const filters = Object.fromEntries(
    indexed.map((field) => [field.name, filterOf(field, properties[field.name])]),
  );
  return z.strictObject({
    filters: z.record(z.string(), z.unknown()).optional().meta({
      description: "only entities that meet all of these",
      properties: filters,
      additionalProperties: false,
    }),
    sort: z
      .array(
        z.strictObject({
          field: z.enum([first, ...others]),
          order: z.enum(["asc", "desc"]).default("asc"),
        }),
      )
      .optional()
      .describe("missing values come last"),
    ...page,
  });
}

/** A value, or an object with operators. */
function filterOf(field: IndexedField, property: unknown): JsonSchema {
  const value = field.kind === "enum" ? { enum: field.values } : VALUES[field.kind];
  const several = { type: "array", items: value, maxItems: LIMITS.graph_filter_values };
  const bounds = Object.fromEntries(["gte", "gt", "lte", "lt"].map((name) => [name, value]));
  const operators = { in: several, ...(isRanged(field) ? bounds : {}) };
  const description = isObject(property) ? property.description : undefined;
  return {
    ...(typeof description === "string" ? { description } : {}),
    anyOf: [value, { type: "object", properties: operators, additionalProperties: false }],
  };
}

/** Models give a text where they are asked for JSON, and a sort as queries have it. */
export function decodeList(input: unknown): unknown {
  if (!isObject(input)) return input;
  const { filters, sort, ...rest } = input;
  return {
    ...rest,
    ...(filters === undefined || filters === null ? {} : { filters: parsed(filters) }),
    ...(sort === undefined || sort === null ? {} : { sort: sortOf(parsed(sort)) }),
  };
}

function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function sortOf(value: unknown): unknown {
  if (isObject(value)) return [value];
  if (typeof value !== "string") return value;
  try {
    return readSort(value);
  } catch {
    return value;
  }
}

/** Throws `bad_request` naming the field. */
export const askedFilters = (filters: Record<string, unknown>): AskedFilter[] =>
  Object.entries(filters).flatMap(([field, asked]): AskedFilter[] => {
    if (Array.isArray(asked)) return [{ field, operator: "in", value: asked.map(scalar(field)) }];
    if (!isObject(asked)) return [{ field, operator: "eq", value: scalar(field)(asked) }];
    return Object.entries(asked).map(([operator, value]) => {
      if (!isOperator(operator)) {
        throw badRequest(`filter ${field}: there is no operator "${operator}"`);
      }
      const values = operator === "in" && !Array.isArray(value) ? [value] : value;
      return {
        field,
        operator,
        value: Array.isArray(values) ? values.map(scalar(field)) : scalar(field)(values),
      };
    });
  });

const scalar =
  (field: string) =>
  (value: unknown): unknown => {
    if (["string", "number", "boolean"].includes(typeof value)) return value;
    throw badRequest(`filter ${field}: ${JSON.stringify(value)} is no value to look for`);
  };

export const GetInput = z.strictObject({
  ids: z.array(EntityId).min(1).max(LIMITS.graph_batch).describe("the ids of the entities"),
});

/** One id may come as it is. */
export function decodeGet(input: unknown): unknown {
  if (!isObject(input)) return input;
  const { id, ids = id, ...rest } = input;
  const list = parsed(ids);
  return { ...rest, ids: typeof list === "string" ? [list] : list };
}
