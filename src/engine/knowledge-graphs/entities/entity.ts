import { z } from "zod";
import { PreciseTimestamp } from "../../kernel/fields.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { EntityTypeKey, type SchemaRecord } from "../schemas/entity-schema.ts";
import type { EntityQuery } from "./query.ts";

const bytesOf = (text: string): number => Buffer.byteLength(text);

export const EntityId = z
  .string()
  .min(1, "must not be empty")
  .refine(
    (id) => bytesOf(id) <= LIMITS.graph_entity_id_bytes,
    `must have at most ${LIMITS.graph_entity_id_bytes} bytes`,
  );

const EntityData = z.record(z.string(), z.unknown());

export const EntityKey = EntityTypeKey.extend({ id: EntityId });
export const EntityCreate = EntityTypeKey.extend({ data: EntityData });
export const EntityReplace = EntityKey.extend({ data: EntityData });
/** Exactly `ids`: anything else in the body is a mistake (contract 4.8). */
export const EntityBatch = z.strictObject({
  ...EntityTypeKey.shape,
  ids: z
    .array(EntityId)
    .min(1, "must name at least one entity")
    .max(LIMITS.graph_batch, `must name at most ${LIMITS.graph_batch} entities`),
});

/** A typed fact (contract 2.14). `schema_hash` tells by which schema it was checked. */
export const Entity = z.object({
  bundle_name: z.string(),
  entity_type: z.string(),
  entity_id: z.string(),
  data: EntityData,
  schema_hash: z.string(),
  created_at: PreciseTimestamp,
  updated_at: PreciseTimestamp,
});

export const EntityPage = z.object({
  items: z.array(Entity),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

export interface EntityRecord {
  readonly type_id: number;
  readonly entity_id: string;
  /** JSON text, as its author wrote it. */
  readonly data: string;
  readonly schema_hash: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What an entity is filtered and sorted by in one property; undefined when it is missing. */
export type IndexKey = string | number | undefined;

/** An entity with its key in each indexed property, in the order of the properties' names. */
export interface IndexedEntity {
  readonly entity: EntityRecord;
  readonly keys: readonly IndexKey[];
}

export interface GraphEntityReads {
  get(type_id: number, entity_id: string): Promise<EntityRecord | undefined>;
  /** In the order of the ids; those that there are. */
  listByIds(type_id: number, entity_ids: readonly string[]): Promise<EntityRecord[]>;
  /** In order of their ids, those behind one. */
  listAfter(type_id: number, entity_id: string, limit: number): Promise<EntityRecord[]>;
  /** Throws `timeout` when it takes too long. */
  find(
    type: Pick<SchemaRecord, "id" | "entity_count" | "revision">,
    query: EntityQuery,
  ): Promise<{ entities: EntityRecord[]; total: number }>;
}

/** What changes many lets others have the event loop in between; the transaction stays open. */
export interface GraphEntityWrites extends GraphEntityReads {
  /** Creates or replaces. */
  put(entities: readonly IndexedEntity[]): Promise<void>;
  delete(type_id: number, entity_id: string): Promise<void>;
  /** Those that are not kept; returns how many they were. */
  deleteOthers(type_id: number, kept: ReadonlySet<string>): Promise<number>;
  /** Every entity of a type. */
  clear(type_id: number): Promise<void>;
  /** What entities of a type are filtered and sorted by. */
  clearIndex(type_id: number): Promise<void>;
}
