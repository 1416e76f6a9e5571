import { badRequest } from "../../kernel/error.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { type EntityShape, type IndexedField, isRanged } from "../schemas/shape.ts";
import { askedKey } from "./keys.ts";
import type { Bound, Condition, SortKey } from "./query.ts";

/** By property: a value, several of which one must fit, or bounds. */
export interface AskedFilter {
  readonly field: string;
  readonly operator: FilterOperator;
  readonly value: unknown;
}

export type FilterOperator = "eq" | "in" | keyof typeof BOUNDS;

export interface AskedSort {
  readonly field: string;
  readonly order: "asc" | "desc";
}

const BOUNDS = { gt: ">", gte: ">=", lt: "<", lte: "<=" } as const;

export const isOperator = (text: string): text is FilterOperator =>
  text === "eq" || text === "in" || Object.hasOwn(BOUNDS, text);

/** Throws `bad_request` naming the field. */
export function toConditions(shape: EntityShape, filters: readonly AskedFilter[]): Condition[] {
  const byField = new Map<string, AskedFilter[]>();
  for (const filter of filters)
    byField.set(filter.field, [...(byField.get(filter.field) ?? []), filter]);
  return [...byField].map(([name, asked]) => {
    const place = placeOf(shape, name, "filter");
    return toCondition(place, shape.indexed[place] as IndexedField, asked);
  });
}

function toCondition(
  field: number,
  declared: IndexedField,
  filters: readonly AskedFilter[],
): Condition {
  const { name } = declared;
  const exact = filters.filter(({ operator }) => operator === "eq" || operator === "in");
  if (exact.length > 0 && filters.length > 1) {
    throw badRequest(
      `filter ${name}: ask for a value, for one of several, or for a range, not for more than one of these`,
    );
  }
  const [one] = exact;
  if (one) return { field, in: keysIn(declared, one) };
  if (!isRanged(declared)) {
    throw badRequest(
      `filter ${name}: ranges need a number, or a text with the format date or date-time`,
    );
  }
  return { field, bounds: filters.flatMap((filter) => boundOf(declared, filter)) };
}

function keysIn(declared: IndexedField, { operator, value }: AskedFilter): (string | number)[] {
  const values = operator === "in" ? listOf(declared, value) : [value];
  return values.flatMap((each) => askedKey(declared, each) ?? []);
}

function listOf({ name }: IndexedField, value: unknown): unknown[] {
  const values = Array.isArray(value) ? value : String(value).split(",");
  if (values.length > LIMITS.graph_filter_values) {
    throw badRequest(
      `filter ${name}: "in" takes at most ${LIMITS.graph_filter_values} values, not ${values.length}`,
    );
  }
  return values;
}

function boundOf(declared: IndexedField, { operator, value }: AskedFilter): Bound[] {
  const key = askedKey(declared, value);
  if (key === undefined || operator === "eq" || operator === "in") return [];
  return [{ operator: BOUNDS[operator], key }];
}

/** Throws `bad_request` naming the field. */
export function toSort(shape: EntityShape, sort: readonly AskedSort[]): SortKey[] {
  const fields = sort.map(({ field }) => field);
  const twice = fields.find((field, index) => fields.indexOf(field) !== index);
  if (twice !== undefined) throw badRequest(`sort: names "${twice}" twice`);
  return sort.map(({ field, order }) => ({
    field: placeOf(shape, field, "sort"),
    descending: order === "desc",
  }));
}

function placeOf({ indexed }: EntityShape, name: string, what: string): number {
  const place = indexed.findIndex((field) => field.name === name);
  if (place >= 0) return place;
  const names = indexed.map((field) => field.name).join(", ") || "none";
  throw badRequest(`${what} ${name}: is not an indexed property (x-index); those are: ${names}`);
}

/** Reads `built:desc,code`. Throws `bad_request`. */
export function readSort(text: string): AskedSort[] {
  if (Buffer.byteLength(text) > LIMITS.graph_sort_bytes) {
    throw badRequest(`sort: is longer than ${LIMITS.graph_sort_bytes} bytes`);
  }
  if (text.trim() === "") return [];
  return text.split(",").map((part) => {
    const [field = "", order = "asc", ...more] = part.split(":").map((each) => each.trim());
    if (field === "" || (order !== "asc" && order !== "desc") || more.length > 0) {
      throw badRequest(`sort: "${part}" is not like "field:asc" or "field:desc"`);
    }
    return { field, order };
  });
}
