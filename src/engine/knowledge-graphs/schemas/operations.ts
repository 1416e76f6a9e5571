import { z } from "zod";
import type { Context } from "../../context.ts";
import { badRequest, conflict } from "../../kernel/error.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { defineOperation } from "../../operation.ts";
import type { Writes } from "../../store.ts";
import { BundleKey, requireBundle } from "../bundles/bundle.ts";
import { keysOf } from "../entities/check-entity.ts";
import { findCollision, listedTools } from "../tools/tool-names.ts";
import {
  EntitySchema,
  EntityTypeKey,
  requireType,
  SchemaPut,
  type SchemaRecord,
  toEntitySchema,
} from "./entity-schema.ts";
import type { CheckedSchema } from "./entity-schemas.ts";
import { fieldsOf, isIndexedAlike, type SchemaFields } from "./schema-fields.ts";

export const listEntitySchemas = defineOperation({
  name: "knowledge_graphs.schemas.list",
  summary: "List a knowledge graph's entity schemas",
  scope: "agents:read",
  effect: "read",
  input: BundleKey,
  output: z.array(EntitySchema),
  run: async ({ read }, { bundle }) =>
    (await read.graph_schemas.listByBundle(bundle)).map(toEntitySchema),
});

export const getEntitySchema = defineOperation({
  name: "knowledge_graphs.schemas.get",
  summary: "Read an entity schema",
  scope: "agents:read",
  effect: "read",
  input: EntityTypeKey,
  output: EntitySchema,
  run: async ({ read }, { bundle, entity_type }) =>
    toEntitySchema(await requireType(read, bundle, entity_type)),
});

/**
 * Entities that are there already stay as they are: each says by which schema it was checked. What they
 * are filtered and sorted by follows the new schema at once.
 */
export const putEntitySchema = defineOperation({
  name: "knowledge_graphs.schemas.put",
  summary: "Create or replace an entity schema",
  scope: "agents:write",
  effect: "write",
  input: SchemaPut,
  output: EntitySchema,
  async run(ctx, { bundle, entity_type, schema, ...given }) {
    const schemas = await ctx.services.entity_schemas();
    const checked = schemas.check(schema);
    const fields = fieldsOf(checked, { schema, ...given });
    return ctx.write(async (tx) => {
      await requireBundle(tx, bundle);
      await requireFreeTools(ctx, tx, { bundle_name: bundle, entity_type, ...fields });
      const known = await tx.graph_schemas.get(bundle, entity_type);
      await tx.graph_bundles.update(bundle, { updated_at: ctx.now().toISOString() });
      if (known) {
        await replace(tx, schemas.of(known), known, fields, checked);
        return toEntitySchema({ ...known, ...fields });
      }
      await requireFewTypes(tx, bundle);
      const record = {
        bundle_name: bundle,
        entity_type,
        ...fields,
        entity_count: 0,
        data_bytes: 0,
        revision: ctx.now().getTime(),
      };
      const id = await tx.graph_schemas.insert(record);
      return toEntitySchema({ id, ...record });
    });
  },
});

async function requireFewTypes({ graph_schemas }: Writes, bundle: string): Promise<void> {
  if ((await graph_schemas.listByBundle(bundle)).length < LIMITS.graph_types) return;
  throw badRequest(`a knowledge graph has at most ${LIMITS.graph_types} entity types`);
}

async function requireFreeTools(
  ctx: Context,
  tx: Writes,
  type: Pick<SchemaRecord, "bundle_name" | "entity_type" | "expose_tools">,
): Promise<void> {
  const others = (await tx.graph_schemas.listExposed()).filter(
    ({ bundle_name, entity_type }) =>
      bundle_name !== type.bundle_name || entity_type !== type.entity_type,
  );
  const collision = findCollision([type], others, await listedTools(ctx, tx));
  if (collision !== undefined) throw badRequest(collision);
}

async function replace(
  tx: Writes,
  before: CheckedSchema,
  known: SchemaRecord,
  fields: SchemaFields,
  checked: CheckedSchema,
): Promise<void> {
  if (known.entity_count > 0 && known.id_field !== fields.id_field) {
    throw conflict(
      `x-id-field: entities are stored by "${known.id_field}" already; import the bundle to store them by "${fields.id_field}"`,
    );
  }
  await tx.graph_schemas.update(known.id, fields);
  if (isIndexedAlike(before, checked)) return;
  await tx.graph_entities.clearIndex(known.id);
  await reindex(tx, known.id, checked);
}

const ENTITIES_AT_ONCE = 500;

async function reindex(tx: Writes, type_id: number, checked: CheckedSchema): Promise<void> {
  let last = "";
  for (;;) {
    const entities = await tx.graph_entities.listAfter(type_id, last, ENTITIES_AT_ONCE);
    await tx.graph_entities.put(
      entities.map((entity) => ({ entity, keys: keysOf(checked, JSON.parse(entity.data)) })),
    );
    last = entities.at(-1)?.entity_id ?? "";
    if (entities.length < ENTITIES_AT_ONCE) return;
  }
}
