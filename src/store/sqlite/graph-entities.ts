import { setImmediate as giveWay } from "node:timers/promises";
import type {
  EntityRecord,
  GraphEntityWrites,
  IndexedEntity,
} from "#engine/knowledge-graphs/entity.ts";
import type { Connection } from "./database.ts";
import { entityFinder } from "./graph-find.ts";

/** So many rows are changed before others have the event loop again: a few milliseconds' work. */
const ROWS_AT_ONCE = 1_000;
const MISSING = Buffer.alloc(0);

/** In SQL as it is: an import runs these by the ten thousand. */
export function graphEntityRepository(connection: Connection): GraphEntityWrites {
  const get = connection.prepare(
    "SELECT * FROM graph_entities WHERE type_id = ? AND entity_id = ?",
  );
  const after = connection.prepare(
    "SELECT * FROM graph_entities WHERE type_id = ? AND entity_id > ? ORDER BY entity_id LIMIT ?",
  );
  const idsAfter = connection
    .prepare(
      "SELECT entity_id FROM graph_entities WHERE type_id = ? AND entity_id > ? ORDER BY entity_id LIMIT ?",
    )
    .pluck();
  const byIds = connection.prepare(`
    SELECT e.* FROM json_each(:ids) i
    CROSS JOIN graph_entities e ON e.type_id = :type_id AND e.entity_id = i.value`);
  const listByIds = (type_id: number, ids: readonly string[]): EntityRecord[] => {
    const rows = byIds.all({ type_id, ids: JSON.stringify(ids) }) as EntityRecord[];
    const found = new Map(rows.map((row) => [row.entity_id, row]));
    return ids.flatMap((id) => found.get(id) ?? []);
  };
  const find = entityFinder(connection, listByIds);
  return {
    ...changes(connection),
    get: async (type_id, entity_id) => get.get(type_id, entity_id) as EntityRecord | undefined,
    listByIds: async (type_id, ids) => listByIds(type_id, ids),
    listAfter: async (type_id, entity_id, limit) =>
      after.all(type_id, entity_id, limit) as EntityRecord[],
    listIdsAfter: async (type_id, entity_id, limit) =>
      idsAfter.all(type_id, entity_id, limit) as string[],
    find: async (type, query) => find(type, query),
  };
}

type Changes = Pick<GraphEntityWrites, "put" | "delete" | "clear" | "clearIndex">;

function changes(connection: Connection): Changes {
  const write = connection.prepare(`
    INSERT INTO graph_entities (type_id, entity_id, data, schema_hash, created_at, updated_at)
    VALUES (:type_id, :entity_id, :data, :schema_hash, :created_at, :updated_at)
    ON CONFLICT (type_id, entity_id) DO UPDATE SET
      data = excluded.data, schema_hash = excluded.schema_hash, updated_at = excluded.updated_at`);
  const enter = connection.prepare(`
    INSERT INTO graph_values (type_id, field, entity_id, value) VALUES (?, ?, ?, ?)
    ON CONFLICT (type_id, field, entity_id) DO UPDATE SET value = excluded.value
    WHERE value IS NOT excluded.value`);
  const put = ({ entity, keys }: IndexedEntity): void => {
    write.run(entity);
    keys.forEach((key, field) => {
      enter.run(entity.type_id, field, entity.entity_id, key ?? MISSING);
    });
  };
  const remove = connection.prepare(
    "DELETE FROM graph_entities WHERE type_id = ? AND entity_id = ?",
  );
  const fields = connection
    .prepare("SELECT max(field) FROM graph_values WHERE type_id = ?")
    .pluck();
  const leave = connection.prepare(
    "DELETE FROM graph_values WHERE type_id = ? AND field = ? AND entity_id = ?",
  );
  const removeSome = connection.prepare(`
    DELETE FROM graph_entities WHERE type_id = :type_id AND entity_id IN
      (SELECT entity_id FROM graph_entities WHERE type_id = :type_id LIMIT :limit)`);
  const leaveSome = connection.prepare(`
    DELETE FROM graph_values WHERE type_id = :type_id AND field = :field AND entity_id IN
      (SELECT entity_id FROM graph_values WHERE type_id = :type_id AND field = :field LIMIT :limit)`);
  const clearIndex = async (type_id: number): Promise<void> => {
    for (let field = Number(fields.get(type_id) ?? -1); field >= 0; field -= 1)
      await untilNone((limit) => leaveSome.run({ type_id, field, limit }).changes);
  };
  return {
    put: (entities) => inSlices(entities, put),
    delete(type_id, ids) {
      const last = Number(fields.get(type_id) ?? -1);
      return inSlices(ids, (id) => {
        for (let field = 0; field <= last; field += 1) leave.run(type_id, field, id);
        remove.run(type_id, id);
      });
    },
    clearIndex,
    async clear(type_id) {
      await clearIndex(type_id);
      await untilNone((limit) => removeSome.run({ type_id, limit }).changes);
    },
  };
}

async function inSlices<Item>(items: readonly Item[], each: (item: Item) => void): Promise<void> {
  for (let start = 0; start < items.length; start += ROWS_AT_ONCE) {
    if (start > 0) await giveWay();
    for (const item of items.slice(start, start + ROWS_AT_ONCE)) each(item);
  }
}

async function untilNone(change: (limit: number) => number): Promise<void> {
  while (change(ROWS_AT_ONCE) === ROWS_AT_ONCE) await giveWay();
}
