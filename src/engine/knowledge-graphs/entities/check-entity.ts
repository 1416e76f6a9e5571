import { badRequest } from "../../kernel/error.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { CheckedSchema } from "../schemas/entity-schemas.ts";
import { EntityId, type IndexKey } from "./entity.ts";
import { keyOf } from "./keys.ts";

/** An entity as it will be stored. */
export interface CheckedEntity {
  readonly entity_id: string;
  /** JSON. */
  readonly text: string;
  readonly bytes: number;
  readonly keys: readonly IndexKey[];
}

/** Throws `bad_request` naming the field. */
export function checkEntity(
  { shape, validate }: CheckedSchema,
  data: Record<string, unknown>,
): CheckedEntity {
  const { id_field } = shape;
  const id = EntityId.safeParse(data[id_field]);
  if (!id.success) {
    const problem = typeof data[id_field] === "string" ? id.error.issues[0]?.message : undefined;
    throw badRequest(`${id_field}: ${problem ?? "is required: the entity's id, a string"}`);
  }
  const text = JSON.stringify(data);
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.graph_entity_bytes) {
    throw badRequest(
      `entity "${id.data}": is larger than ${LIMITS.graph_entity_bytes} bytes (${bytes})`,
    );
  }
  const problem = validate(data);
  if (problem !== undefined) throw badRequest(problem);
  return { entity_id: id.data, text, bytes, keys: keysOf({ shape }, data) };
}

/** What an entity is filtered and sorted by. */
export const keysOf = (
  { shape }: Pick<CheckedSchema, "shape">,
  data: Record<string, unknown>,
): IndexKey[] =>
  shape.indexed.map((field) =>
    keyOf(field, Object.hasOwn(data, field.name) ? data[field.name] : undefined),
  );

/** Throws `bad_request`. */
export function requireRoom(bundle_name: string, data_bytes: number): void {
  if (data_bytes <= LIMITS.graph_bundle_bytes) return;
  throw badRequest(
    `the bundle "${bundle_name}" would hold ${data_bytes} bytes of data; at most ${LIMITS.graph_bundle_bytes} are allowed`,
  );
}
