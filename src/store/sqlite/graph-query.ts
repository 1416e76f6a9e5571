import type { Condition, EntityQuery, SortKey } from "#engine/knowledge-graphs/entities/query.ts";

export interface Statement {
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

/** Sorts behind every number and text. */
const MISSING = "x''";

/** How many entities meet the conditions; the first of them leads. */
export const countOf = (type_id: number, conditions: readonly Condition[]): Statement =>
  statement({ type_id, select: "count(*)", conditions, fields: fieldsOf(conditions) });

/** The same for one condition, but no further than `most`. */
export function countUpTo(most: number, type_id: number, condition: Condition): Statement {
  const { sql, params } = statement({
    type_id,
    select: "1",
    conditions: [condition],
    fields: [condition.field],
  });
  return { sql: `SELECT count(*) FROM (${sql} LIMIT ?)`, params: [...params, most] };
}

/** How many of them have no value to be sorted by. */
export const countMissing = (
  type_id: number,
  conditions: readonly Condition[],
  { field }: SortKey,
) =>
  statement({
    type_id,
    select: "count(*)",
    conditions,
    fields: [field, ...fieldsOf(conditions)],
    missing: "only",
  });

/** The most selective filter leads; what fits is sorted. */
export const byFilter = (type_id: number, query: EntityQuery): Statement =>
  statement({
    ...page(type_id, query),
    fields: [...fieldsOf(query.conditions), ...fieldsOf(query.sort)],
  });

/** The ids' order leads; without conditions, that of the entities themselves. */
export function byId(type_id: number, query: EntityQuery): Statement {
  const { conditions, limit, offset } = query;
  if (conditions.length > 0) {
    return statement({ ...page(type_id, query), fields: fieldsOf(conditions), by_id: true });
  }
  return {
    sql: "SELECT entity_id FROM graph_entities WHERE type_id = ? ORDER BY entity_id LIMIT ? OFFSET ?",
    params: [type_id, limit, offset],
  };
}

/** The order of what is sorted by first leads; the filters are looked up. */
export const byOrder = (type_id: number, query: EntityQuery, first: SortKey): Statement =>
  statement({ ...walk(type_id, query, first), missing: "none" });

/** Those that have no value to be sorted by. */
export const byMissing = (type_id: number, query: EntityQuery, first: SortKey): Statement =>
  statement({ ...walk(type_id, query, first), missing: "only" });

const walk = (type_id: number, query: EntityQuery, { field }: SortKey) => ({
  ...page(type_id, query),
  fields: [field, ...fieldsOf(query.conditions), ...fieldsOf(query.sort)],
});

const page = (type_id: number, { conditions, sort, limit, offset }: EntityQuery) => ({
  type_id,
  select: "v0.entity_id",
  conditions,
  sort,
  slice: { limit, offset },
});

const fieldsOf = (list: readonly { readonly field: number }[]): number[] =>
  list.map(({ field }) => field);

interface Parts {
  readonly type_id: number;
  readonly select: string;
  readonly conditions: readonly Condition[];
  /** The first leads. */
  readonly fields: readonly number[];
  readonly sort?: readonly SortKey[];
  readonly slice?: { readonly limit: number; readonly offset: number };
  /** Of the leading field: whether those without a value are left out, or the only ones. */
  readonly missing?: "none" | "only";
  readonly by_id?: true;
}

/** Tables are joined in the order given (CROSS JOIN); fields and types are numbers of our own. */
function statement({
  type_id,
  select,
  conditions,
  fields,
  sort,
  slice,
  ...lead
}: Parts): Statement {
  const params: (string | number)[] = [];
  const names = new Map([...new Set(fields)].map((field, index) => [field, `v${index}`]));
  const nameOf = ({ field }: { readonly field: number }) => names.get(field) ?? "";
  const [first = 0, ...others] = names.keys();
  const joins = others.map((field) => {
    const name = nameOf({ field });
    return `CROSS JOIN graph_values ${name}
      ON ${name}.type_id = v0.type_id AND ${name}.field = ${field} AND ${name}.entity_id = v0.entity_id`;
  });
  const wheres = conditions.map((condition) => conditionOf(condition, nameOf(condition), params));
  if (lead.missing) wheres.push(`v0.value ${lead.missing === "only" ? "=" : "<"} ${MISSING}`);
  const orders = slice ? [`ORDER BY ${orderOf(sort ?? [], nameOf, lead)}`, "LIMIT ? OFFSET ?"] : [];
  if (slice) params.push(slice.limit, slice.offset);
  // Counting one index's entries is quick enough, and asking the time for each is not.
  if (others.length > 0 || lead.by_id) wheres.push("in_time()");
  const index = lead.by_id ? "sqlite_autoindex_graph_values_1" : "graph_values_order";
  const sql = [
    `SELECT ${select} FROM graph_values v0 INDEXED BY ${index}`,
    ...joins,
    `WHERE ${[`v0.type_id = ${type_id}`, `v0.field = ${first}`, ...wheres].join(" AND ")}`,
    ...orders,
  ].join("\n");
  return { sql, params };
}

function conditionOf(condition: Condition, name: string, params: (string | number)[]): string {
  if ("in" in condition) {
    params.push(...condition.in);
    if (condition.in.length === 1) return `${name}.value = ?`;
    return `${name}.value IN (${condition.in.map(() => "?").join(", ")})`;
  }
  params.push(...condition.bounds.map(({ key }) => key));
  const bounds = condition.bounds.map(({ operator }) => `${name}.value ${operator} ?`);
  // Missing values are behind all others, so that an open range would take them in.
  return [...bounds, `${name}.value < ${MISSING}`].join(" AND ");
}

/** Ids go in the direction of what is sorted by first, so that an index is walked one way or the other. */
function orderOf(
  sort: readonly SortKey[],
  nameOf: (key: SortKey) => string,
  { missing }: Pick<Parts, "missing">,
): string {
  const direction = ({ descending }: { descending: boolean }) => (descending ? "DESC" : "ASC");
  const [first] = sort;
  const keys = sort.flatMap((key) => {
    const value = `${nameOf(key)}.value ${direction(key)}`;
    if (key === first && missing) return missing === "only" ? [] : [value];
    return [`${nameOf(key)}.value = ${MISSING}`, value];
  });
  return [...keys, `v0.entity_id ${first ? direction(first) : "ASC"}`].join(", ");
}
