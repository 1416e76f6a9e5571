import { EngineError } from "#engine/kernel/error.ts";
import type { EntityRecord, GraphEntityReads } from "#engine/knowledge-graphs/entity.ts";
import type { Condition, EntityQuery } from "#engine/knowledge-graphs/query.ts";
import type { Connection } from "./database.ts";
import {
  byFilter,
  byId,
  byMissing,
  byOrder,
  countMissing,
  countOf,
  type Statement,
} from "./graph-query.ts";

/** Contract 2.14. */
const PATIENCE_MS = 5_000;
/** What sorting one that fits costs, compared with passing one by. */
const SORTING = 2;

type Type = Parameters<GraphEntityReads["find"]>[0];
type Found = Awaited<ReturnType<GraphEntityReads["find"]>>;

/**
 * Filters and sorts by the table of values alone: every step is a look-up or a walk in an index's order.
 * Which of them leads depends on how many entities fit, which has to be counted anyway.
 */
export function entityFinder(
  connection: Connection,
  listByIds: (type_id: number, ids: readonly string[]) => EntityRecord[],
): (type: Type, query: EntityQuery) => Found {
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
  const count = (statement: Statement): number => run<number>(statement)[0] ?? 0;

  const measure = (type: Type, conditions: readonly Condition[]) => {
    const sizes = conditions
      .map((condition) => ({ condition, size: count(countOf(type.id, [condition])) }))
      .sort((one, other) => one.size - other.size);
    const narrowing = sizes.map(({ condition }) => condition);
    const [smallest] = sizes;
    if (!smallest) return { narrowing, least: Number.POSITIVE_INFINITY, total: type.count };
    const total = sizes.length === 1 ? smallest.size : count(countOf(type.id, narrowing));
    return { narrowing, least: smallest.size, total };
  };

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
    const { narrowing, least, total } = measure(type, asked.conditions);
    const { limit, offset } = asked;
    if (offset >= total) return { entities: [], total };
    const query = { ...asked, conditions: narrowing };
    const passed_by = ((offset + limit) * type.count) / total;
    const ids =
      least * SORTING < passed_by
        ? run<string>(byFilter(type.id, query))
        : inOrder(type, query, total);
    return { entities: listByIds(type.id, ids), total };
  };
  // One transaction, so that the page and the number are of the same moment.
  return connection.transaction(find);
}
