import { z } from "zod";
import { badRequest } from "../../kernel/error.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { EntityTypeKey } from "../schemas/entity-schema.ts";
import { type AskedFilter, isOperator, readSort } from "./filters.ts";

const { default: USUAL, max: MOST } = LIMITS.graph_page;
/** Keeps the offset an exact integer. */
const FURTHEST = 1_000_000_000;

/** Unlike pages elsewhere, what can't be is refused (contract 0.1). */
const whole = (least: number, most: number, usual: number) =>
  z
    .union([z.string(), z.number()])
    .optional()
    .transform((given, ctx) => {
      const value = given ?? usual;
      const number = typeof value === "string" && !/^\d+$/.test(value) ? Number.NaN : Number(value);
      if (Number.isInteger(number) && number >= least && number <= most) return number;
      ctx.addIssue({ code: "custom", message: `must be an integer from ${least} to ${most}` });
      return z.NEVER;
    })
    .meta({ type: "integer", minimum: least, maximum: most, default: usual });

/** How entities are asked for, whoever asks. */
const EntityPageInput = {
  limit: whole(1, MOST, USUAL),
  offset: whole(0, FURTHEST, 0),
};

/** The keys of filters depend on the type: `filter[country]`, `filter[built][gte]`. */
export const EntityListQuery = EntityTypeKey.extend({
  ...EntityPageInput,
  sort: z
    .string()
    .optional()
    .transform((text) => readSort(text ?? ""))
    .meta({ type: "string", description: "field:asc,other:desc; missing values come last" }),
}).catchall(z.unknown());

const FILTER = /^filter\[([^\]]+)\](?:\[([^\]]*)\])?$/;

/** The filters of a query; operators that nobody knows are ignored (contract 4.8). */
export function filtersOf(query: Record<string, unknown>): AskedFilter[] {
  return Object.entries(query).flatMap(([key, value]) => {
    const [, field, operator = "eq"] = FILTER.exec(key) ?? [];
    if (field === undefined || !isOperator(operator)) return [];
    if (typeof value !== "string") throw badRequest(`${key}: must be a text`);
    return [{ field, operator, value }];
  });
}
