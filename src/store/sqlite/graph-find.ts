import { EngineError } from "#engine/kernel/error.ts";
import type { EntityRecord, GraphEntityReads } from "#engine/knowledge-graphs/entities/entity.ts";
import type { Condition, EntityQuery } from "#engine/knowledge-graphs/entities/query.ts";
import type { Connection } from "./database.ts";
import {
  byFilter,
  byId,
  byMissing,
  byOrder,
  countMissing,
  countOf,
  countUpTo,
  type Statement,
} from "./graph-query.ts";

/** Contract 2.14. */
const PATIENCE_MS = 5_000;
/** To find out which of several conditions the fewest meet, no more are counted than this. */
const COUNTED = [1_000, 10_000];
/** Totals of queries that were asked before, as somebody who turns pages asks the same again. */
const TOTALS_KEPT = 1_000;
/** What sorting one that fits costs, compared with passing one by. */
const SORTING = 2;

type Count = (statement: Statement) => number;
type Find = GraphEntityReads["find"];
type Type = Parameters<Find>[0];
type Found = Awaited<ReturnType<Find>>;

/** The query that may take a while; it also runs in a thread with a connection of its own. */
export interface EntityFinder {
  readonly findEntities: Find;
}

/**
 * Filters and sorts by the table of values alone: every step is a look-up or a walk in an index's order.
 * Which of them leads depends on how many entities fit, which has to be counted anyway.
 */
export function entityFinder(connection: Connection): EntityFinder {
  const listByIds = entitiesByIds(connection);
  let deadline_ms = 0;
  connection.function("in_time", { deterministic: false }, () => {
    if (performance.now() < deadline_ms) return 1;
    throw new EngineError(
      "timeout",
      `the query took longer than ${PATIENCE_MS / 1000} s; narrow it by filters`,
    );
  });
  const run = <Row>({ sql, params }: Statement): Row[] =>
    connection
      .prepare(sql)
      .pluck()
      .all(...params) as Row[];
  const count: Count = (statement) => run<number>(statement)[0] ?? 0;
  const totalOf = keptTotals(count);

  const inOrder = (type: Type, query: EntityQuery, total: number): string[] => {
    const { sort, limit, offset, conditions } = query;
    const [first] = sort;
    if (!first) return run(byId(type.id, query));
    const valued = run<string>(byOrder(type.id, query, first));
    if (valued.length === limit) return valued;
    const before =
      valued.length > 0
        ? offset + valued.length
        : total - count(countMissing(type.id, conditions, first));
    const rest = {
      ...query,
      limit: limit - valued.length,
      offset: Math.max(0, offset - before),
    };
    return [...valued, ...run<string>(byMissing(type.id, rest, first))];
  };

  const find = (type: Type, asked: EntityQuery): Found => {
    deadline_ms = performance.now() + PATIENCE_MS;
    const sizes = narrowing(count, type, asked.conditions);
    const conditions = sizes.map(({ condition }) => condition);
    const total = totalOf(type, conditions);
    const least = Math.max(total, sizes[0]?.size ?? Number.POSITIVE_INFINITY);
    const { limit, offset } = asked;
    if (offset >= total) return { entities: [], total };
    const query = { ...asked, conditions };
    const passed_by = ((offset + limit) * type.entity_count) / total;
    const ids =
      least * SORTING < passed_by
        ? run<string>(byFilter(type.id, query))
        : inOrder(type, query, total);
    return { entities: listByIds(type.id, ids), total };
  };
  // One transaction, so that the page and the number are of the same moment.
  const findAtOnce = connection.transaction(find);
  return { findEntities: async (type, query) => findAtOnce(type, query) };
}

/** Those that there are, in the order of the ids. */
export function entitiesByIds(connection: Connection) {
  const byIds = connection.prepare(`
    SELECT e.* FROM json_each(:ids) i
    CROSS JOIN graph_entities e ON e.type_id = :type_id AND e.entity_id = i.value`);
  return (type_id: number, ids: readonly string[]): EntityRecord[] => {
    const rows = byIds.all({ type_id, ids: JSON.stringify(ids) }) as EntityRecord[];
    const found = new Map(rows.map((row) => [row.entity_id, row]));
    return ids.flatMap((id) => found.get(id) ?? []);
  };
}

/** The conditions, the one that the fewest meet first; `size` is no more than was counted. */
function narrowing(count: Count, { id }: Type, conditions: readonly Condition[]) {
  // There is nothing to choose.
  if (conditions.length < 2) return conditions.map((condition) => ({ condition, size: 0 }));
  const sized = (most: number) =>
    conditions
      .map((condition) => ({ condition, size: count(countUpTo(most, id, condition)) }))
      .sort((one, other) => one.size - other.size);
  const [few = 0, many = 0] = COUNTED;
  const sizes = sized(few);
  return sizes[0]?.size === few ? sized(many) : sizes;
}

/** How many entities meet conditions; counted once for each state of the type. */
function keptTotals(count: Count) {
  const totals = new Map<string, number>();
  return (type: Type, conditions: readonly Condition[]): number => {
    if (conditions.length === 0) return type.entity_count;
    const key = JSON.stringify([type.id, type.revision, conditions]);
    const known = totals.get(key);
    if (known !== undefined) return known;
    const total = count(countOf(type.id, conditions));
    if (totals.size >= TOTALS_KEPT) totals.clear();
    totals.set(key, total);
    return total;
  };
}
