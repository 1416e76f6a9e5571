import { giveWay } from "../../kernel/give-way.ts";
import { canonical } from "../../kernel/json.ts";
import type { Writes } from "../../store.ts";
import type { CheckedEntity } from "../entities/check-entity.ts";
import type { EntityRecord, IndexedEntity } from "../entities/entity.ts";
import type { SchemaRecord } from "../schemas/entity-schema.ts";
import type { EntitySchemas } from "../schemas/entity-schemas.ts";
import { fieldsOf, isIndexedAlike } from "../schemas/schema-fields.ts";
import type { CheckedType } from "./import.ts";

/** What became of the entities of one type. */
export interface EntityChanges {
  readonly entity_type: string;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** What became of the entity types, by their names. */
export interface SchemaChanges {
  readonly added: string[];
  readonly changed: string[];
  readonly removed: string[];
  readonly unchanged: string[];
}

export interface Changes {
  readonly schemas: SchemaChanges;
  readonly entities: EntityChanges[];
}

interface Place {
  readonly schemas: EntitySchemas;
  readonly now: Date;
}

const ENTITIES_AT_ONCE = 100;

/** Makes the store hold exactly these types and entities of a bundle; all of it in one transaction. */
export async function reconcile(
  place: Place,
  tx: Writes,
  bundle_name: string,
  types: readonly CheckedType[],
): Promise<Changes> {
  const before = new Map(
    (await tx.graph_schemas.listByBundle(bundle_name)).map((type) => [type.entity_type, type]),
  );
  const schemas: SchemaChanges = { added: [], changed: [], removed: [], unchanged: [] };
  const entities: EntityChanges[] = [];
  for (const type of types) {
    const { entity_type } = type.given;
    const known = before.get(entity_type);
    before.delete(entity_type);
    const record = await putType(place, tx, bundle_name, known, type);
    schemas[known ? (isSame(known, record) ? "unchanged" : "changed") : "added"].push(entity_type);
    entities.push(await putEntities(place, tx, known, record, type));
  }
  for (const { id, entity_type, entity_count } of before.values()) {
    await tx.graph_entities.clear(id);
    await tx.graph_schemas.delete(id);
    schemas.removed.push(entity_type);
    entities.push({ entity_type, added: 0, changed: 0, removed: entity_count, unchanged: 0 });
  }
  return { schemas, entities };
}

async function putType(
  place: Place,
  tx: Writes,
  bundle_name: string,
  known: SchemaRecord | undefined,
  { given, checked, entities, data_bytes }: CheckedType,
): Promise<SchemaRecord> {
  const { entity_type } = given;
  const numbers = { entity_count: entities.length, data_bytes };
  const fields = { bundle_name, entity_type, ...fieldsOf(checked, given), ...numbers };
  if (known) {
    await tx.graph_schemas.update(known.id, fields);
    return { ...known, ...fields };
  }
  const added = { ...fields, revision: place.now.getTime() };
  return { id: await tx.graph_schemas.insert(added), ...added };
}

const isSame = (one: SchemaRecord, other: SchemaRecord): boolean =>
  canonical(one.schema_json) === canonical(other.schema_json) &&
  one.tool_description === other.tool_description &&
  one.expose_tools.join() === other.expose_tools.join();

async function putEntities(
  place: Place,
  tx: Writes,
  known: SchemaRecord | undefined,
  type: SchemaRecord,
  { checked, entities }: CheckedType,
): Promise<EntityChanges> {
  const before = known ? place.schemas.of(known) : checked;
  const is_reindexed = !isIndexedAlike(before, checked);
  if (is_reindexed) await tx.graph_entities.clearIndex(type.id);
  const kept = new Set(entities.map(({ entity_id }) => entity_id));
  const removed = await tx.graph_entities.deleteOthers(type.id, kept);
  const counts = { added: 0, changed: 0, unchanged: 0 };
  for (let start = 0; start < entities.length; start += ENTITIES_AT_ONCE) {
    const slice = entities.slice(start, start + ENTITIES_AT_ONCE);
    const ids = slice.map(({ entity_id }) => entity_id);
    const stored = new Map(
      (await tx.graph_entities.listByIds(type.id, ids)).map((each) => [each.entity_id, each]),
    );
    const puts = slice.flatMap((entity) => {
      const old = stored.get(entity.entity_id);
      const change = changeOf(old, entity);
      counts[change] += 1;
      const is_kept =
        change === "unchanged" && !is_reindexed && old?.schema_hash === type.schema_hash;
      return is_kept ? [] : [toIndexed(place, type, entity, old, change)];
    });
    await tx.graph_entities.put(puts);
    await giveWay();
  }
  return { entity_type: type.entity_type, removed, ...counts };
}

type Change = "added" | "changed" | "unchanged";

function changeOf(old: EntityRecord | undefined, entity: CheckedEntity): Change {
  if (!old) return "added";
  return isEqual(old, entity) ? "unchanged" : "changed";
}

/** The same facts in another order of keys are no change. */
const isEqual = ({ data }: EntityRecord, { text }: CheckedEntity): boolean =>
  data === text || canonical(JSON.parse(data)) === canonical(JSON.parse(text));

/** One that holds the same facts stays as it is, but for the schema it was checked by. */
function toIndexed(
  place: Place,
  { id: type_id, schema_hash }: SchemaRecord,
  { entity_id, text, keys }: CheckedEntity,
  old: EntityRecord | undefined,
  change: Change,
): IndexedEntity {
  if (old && change === "unchanged") return { entity: { ...old, schema_hash }, keys };
  const updated_at = place.now.toISOString();
  const created_at = old?.created_at ?? updated_at;
  const entity = { type_id, entity_id, data: text, schema_hash, created_at, updated_at };
  return { entity, keys };
}
