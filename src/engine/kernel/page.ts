import { z } from "zod";

export interface PageLimits {
  readonly default: number;
  readonly max: number;
}

export interface Page<Item> {
  readonly data: Item[];
  readonly total: number;
  readonly page: number;
  readonly per_page: number;
  readonly total_pages: number;
}

/** What a repository needs of a page request. */
export interface Slice {
  readonly limit: number;
  readonly offset: number;
}

/**
 * `page` and `per_page` as query text. Nonsense falls back to the default and too much is clamped,
 * never refused (contract 0.1).
 */
export const pageInput = (limits: PageLimits) => ({
  page: z
    .unknown()
    .optional()
    .transform((value) => Math.min(positive(value) ?? 1, MAX_PAGE))
    .meta({ type: "integer", minimum: 1, default: 1 }),
  per_page: z
    .unknown()
    .optional()
    .transform((value) => Math.min(positive(value) ?? limits.default, limits.max))
    .meta({ type: "integer", minimum: 1, maximum: limits.max, default: limits.default }),
});

/** Keeps the offset an exact integer. */
const MAX_PAGE = 1_000_000_000;

function positive(value: unknown): number | undefined {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isInteger(number) && number > 0 ? number : undefined;
}

const sliceOf = ({ page, per_page }: { page: number; per_page: number }): Slice => ({
  limit: per_page,
  offset: (page - 1) * per_page,
});

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    data: z.array(item),
    total: z.int(),
    page: z.int(),
    per_page: z.int(),
    total_pages: z.int(),
  });

const toPage = <Item>(
  data: Item[],
  total: number,
  { page, per_page }: { page: number; per_page: number },
): Page<Item> => ({ data, total, page, per_page, total_pages: Math.ceil(total / per_page) });

interface PagedReads<Filter, Item> {
  list(filter: Filter, slice: Slice): Promise<Item[]>;
  count(filter: Filter): Promise<number>;
}

/** One page of what a filter matches. */
export async function readPage<Filter, Item>(
  reads: PagedReads<Filter, Item>,
  filter: Filter,
  query: { page: number; per_page: number },
): Promise<Page<Item>> {
  const [data, total] = await Promise.all([
    reads.list(filter, sliceOf(query)),
    reads.count(filter),
  ]);
  return toPage(data, total, query);
}
