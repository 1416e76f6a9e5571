import { giveWay } from "#engine/kernel/give-way.ts";
import type {
  EntityRecord,
  GraphEntityReads,
  GraphEntityWrites,
  IndexedEntity,
} from "#engine/knowledge-graphs/entities/entity.ts";
import type { Connection } from "./database.ts";
import { type EntityFinder, entitiesByIds, entityFinder } from "./graph-find.ts";
import { untilFewer } from "./statements.ts";

/** A few milliseconds' work for one statement. */
const ROWS_AT_ONCE = 200;
const MISSING = Buffer.alloc(0);
/** Whatever is asked of so few takes a few milliseconds at most, and no thread has to be woken. */
const FEW_ENTITIES = 1_000;

/** In SQL as it is: an import runs these by the ten thousand. `far` is where queries among many run. */
export function graphEntityRepository(
  connection: Connection,
  far?: EntityFinder,
): GraphEntityWrites {
  const get = connection.prepare(
    "SELECT * FROM graph_entities WHERE type_id = ? AND entity_id = ?",
  );
  const after = connection.prepare(
    "SELECT * FROM graph_entities WHERE type_id = ? AND entity_id > ? ORDER BY entity_id LIMIT ?",
  );
  const listByIds = entitiesByIds(connection);
  const near = entityFinder(connection);
  return {
    ...changes(connection),
    get: async (type_id, entity_id) => get.get(type_id, entity_id) as EntityRecord | undefined,
    listByIds: async (type_id, ids) => listByIds(type_id, ids),
    listAfter: async (type_id, entity_id, limit) =>
      after.all(type_id, entity_id, limit) as EntityRecord[],
    find({ id, entity_count, revision }, query) {
      const { findEntities } = (entity_count > FEW_ENTITIES && far) || near;
      return findEntities({ id, entity_count, revision }, query);
    },
  };
}

type Changes = Omit<GraphEntityWrites, keyof GraphEntityReads>;

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
  const idsAfter = connection
    .prepare(
      "SELECT entity_id FROM graph_entities WHERE type_id = ? AND entity_id > ? ORDER BY entity_id LIMIT ?",
    )
    .pluck();
  const remove = connection.prepare(
    "DELETE FROM graph_entities WHERE type_id = ? AND entity_id = ?",
  );
  const fields = connection
    .prepare("SELECT max(field) FROM graph_values WHERE type_id = ?")
    .pluck();
  const lastField = (type_id: number): number => Number(fields.get(type_id) ?? -1);
  const leave = connection.prepare(
    "DELETE FROM graph_values WHERE type_id = ? AND field = ? AND entity_id = ?",
  );
  const removeSome = connection.prepare(`
    DELETE FROM graph_entities WHERE type_id = :type_id AND entity_id IN
      (SELECT entity_id FROM graph_entities WHERE type_id = :type_id LIMIT :limit)`);
  const leaveSome = connection.prepare(`
    DELETE FROM graph_values WHERE type_id = :type_id AND field = :field AND entity_id IN
      (SELECT entity_id FROM graph_values WHERE type_id = :type_id AND field = :field LIMIT :limit)`);
  const limit = ROWS_AT_ONCE;
  const clearIndex = async (type_id: number): Promise<void> => {
    for (let field = lastField(type_id); field >= 0; field -= 1)
      await untilFewer(limit, () => leaveSome.run({ type_id, field, limit }).changes);
  };
  const removeOne = (type_id: number, last: number, id: string): void => {
    for (let field = 0; field <= last; field += 1) leave.run(type_id, field, id);
    remove.run(type_id, id);
  };
  return {
    async put(entities) {
      for (const entity of entities) {
        put(entity);
        await giveWay();
      }
    },
    async delete(type_id, id) {
      removeOne(type_id, lastField(type_id), id);
    },
    async deleteOthers(type_id, kept) {
      let removed = 0;
      let after = "";
      for (;;) {
        const ids = idsAfter.all(type_id, after, ROWS_AT_ONCE) as string[];
        const gone = ids.filter((id) => !kept.has(id));
        const last = lastField(type_id);
        for (const id of gone) {
          removeOne(type_id, last, id);
          await giveWay();
        }
        removed += gone.length;
        after = ids.at(-1) ?? "";
        if (ids.length < ROWS_AT_ONCE) return removed;
      }
    },
    clearIndex,
    async clear(type_id) {
      await clearIndex(type_id);
      await untilFewer(limit, () => removeSome.run({ type_id, limit }).changes);
    },
  };
}
