import { z } from "zod";
import type { Context } from "../../context.ts";
import { badRequest, conflict, notFound } from "../../kernel/error.ts";
import { defineOperation } from "../../operation.ts";
import type { Writes } from "../../store.ts";
import { requireType, type SchemaRecord } from "../schemas/entity-schema.ts";
import { type CheckedEntity, checkEntity, requireRoom } from "./check-entity.ts";
import {
  Entity,
  EntityBatch,
  EntityCreate,
  EntityKey,
  EntityPage,
  type EntityRecord,
  EntityReplace,
} from "./entity.ts";
import { findEntities } from "./entity-page.ts";
import { EntityListQuery, filtersOf } from "./entity-query.ts";

export const listEntities = defineOperation({
  name: "knowledge_graphs.entities.list",
  summary:
    "List entities: filter[field]=v, filter[field][in]=a,b, filter[field][gte|gt|lte|lt]=v and sort=f:asc,g:desc, by properties with x-index",
  scope: "agents:read",
  effect: "read",
  input: EntityListQuery,
  output: EntityPage,
  run: async ({ read, services }, { bundle, entity_type, limit, offset, sort, ...query }) => {
    const type = await requireType(read, bundle, entity_type);
    const asked = { filters: filtersOf(query), sort, limit, offset };
    const { entities, total } = await findEntities(
      read,
      await services.entity_schemas(),
      type,
      asked,
    );
    return { items: entities.map((entity) => toEntity(type, entity)), total, limit, offset };
  },
});

export const getEntities = defineOperation({
  name: "knowledge_graphs.entities.batch_get",
  summary: "Read several entities by id",
  scope: "agents:read",
  effect: "read",
  input: EntityBatch,
  output: z.object({ entities: z.array(Entity), not_found: z.array(z.string()) }),
  run: async ({ read }, { bundle, entity_type, ids }) => {
    const type = await requireType(read, bundle, entity_type);
    const asked = [...new Set(ids)];
    const entities = await read.graph_entities.listByIds(type.id, asked);
    const found = new Set(entities.map(({ entity_id }) => entity_id));
    return {
      entities: entities.map((entity) => toEntity(type, entity)),
      not_found: asked.filter((id) => !found.has(id)),
    };
  },
});

export const getEntity = defineOperation({
  name: "knowledge_graphs.entities.get",
  summary: "Read an entity",
  scope: "agents:read",
  effect: "read",
  input: EntityKey,
  output: Entity,
  run: async ({ read }, { bundle, entity_type, id }) => {
    const type = await requireType(read, bundle, entity_type);
    const entity = await read.graph_entities.get(type.id, id);
    if (!entity) throw notFound(`${entity_type} entity`, id);
    return toEntity(type, entity);
  },
});

export const createEntity = defineOperation({
  name: "knowledge_graphs.entities.create",
  summary: "Create an entity; the body is the entity itself",
  scope: "agents:write",
  effect: "write",
  input: EntityCreate,
  output: Entity,
  async run(ctx, { bundle, entity_type, data }) {
    const schemas = await ctx.services.entity_schemas();
    return ctx.write(async (tx) => {
      const type = await requireType(tx, bundle, entity_type);
      const checked = checkEntity(schemas.of(type), data);
      if (await tx.graph_entities.get(type.id, checked.entity_id)) {
        throw conflict(`there is a ${entity_type} "${checked.entity_id}" already`);
      }
      return put(ctx, tx, type, checked, undefined);
    });
  },
});

export const replaceEntity = defineOperation({
  name: "knowledge_graphs.entities.replace",
  summary: "Replace an entity; the body is the entity itself",
  scope: "agents:write",
  effect: "write",
  input: EntityReplace,
  output: Entity,
  async run(ctx, { bundle, entity_type, id, data }) {
    const schemas = await ctx.services.entity_schemas();
    return ctx.write(async (tx) => {
      const type = await requireType(tx, bundle, entity_type);
      const known = await tx.graph_entities.get(type.id, id);
      if (!known) throw notFound(`${entity_type} entity`, id);
      const checked = checkEntity(schemas.of(type), data);
      if (checked.entity_id !== id) {
        throw badRequest(`${type.id_field}: must be "${id}", as in the address`);
      }
      return put(ctx, tx, type, checked, known);
    });
  },
});

/** Deleting what is not there is no error: the answer tells whether it was (specification 4). */
export const deleteEntity = defineOperation({
  name: "knowledge_graphs.entities.delete",
  summary: "Delete an entity, if it is there",
  scope: "agents:write",
  effect: "destroy",
  input: EntityKey,
  output: z.object({
    deleted: z.boolean(),
    bundle_name: z.string(),
    entity_type: z.string(),
    entity_id: z.string(),
  }),
  run: (ctx, { bundle, entity_type, id }) =>
    ctx.write(async (tx) => {
      const type = await tx.graph_schemas.get(bundle, entity_type);
      const known = type && (await tx.graph_entities.get(type.id, id));
      if (known) {
        await tx.graph_entities.delete(type.id, id);
        await account(ctx, tx, type, -1, -Buffer.byteLength(known.data));
      }
      return {
        deleted: known !== undefined,
        bundle_name: bundle,
        entity_type,
        entity_id: id,
      };
    }),
});

async function put(
  ctx: Context,
  tx: Writes,
  type: SchemaRecord,
  { entity_id, text, bytes, keys }: CheckedEntity,
  known: EntityRecord | undefined,
): Promise<z.input<typeof Entity>> {
  const grown = bytes - (known ? Buffer.byteLength(known.data) : 0);
  const types = await tx.graph_schemas.listByBundle(type.bundle_name);
  const held = types.reduce((sum, { data_bytes }) => sum + data_bytes, 0);
  // What is too large already, say after a limit was lowered, may still shrink.
  if (grown > 0) requireRoom(type.bundle_name, held + grown);
  const updated_at = ctx.now().toISOString();
  const { id: type_id, schema_hash } = type;
  const created_at = known?.created_at ?? updated_at;
  const entity = { type_id, entity_id, data: text, schema_hash, created_at, updated_at };
  await tx.graph_entities.put([{ entity, keys }]);
  await account(ctx, tx, type, known ? 0 : 1, grown);
  return toEntity(type, entity);
}

async function account(
  ctx: Context,
  tx: Writes,
  { id, bundle_name, entity_count, data_bytes }: SchemaRecord,
  entities: number,
  bytes: number,
): Promise<void> {
  await tx.graph_schemas.update(id, {
    entity_count: entity_count + entities,
    data_bytes: data_bytes + bytes,
  });
  await tx.graph_bundles.update(bundle_name, { updated_at: ctx.now().toISOString() });
}

const toEntity = (
  { bundle_name, entity_type }: SchemaRecord,
  { type_id, data, ...entity }: EntityRecord,
): z.input<typeof Entity> => ({ bundle_name, entity_type, ...entity, data: JSON.parse(data) });
