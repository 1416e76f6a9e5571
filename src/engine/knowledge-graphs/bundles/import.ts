import { z } from "zod";
import { badRequest, EngineError } from "../../kernel/error.ts";
import { giveWay } from "../../kernel/give-way.ts";
import { isObject } from "../../kernel/json.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { type CheckedEntity, checkEntity, requireRoom } from "../entities/check-entity.ts";
import { BundledSchema, EntityType } from "../schemas/entity-schema.ts";
import type { CheckedSchema, EntitySchemas } from "../schemas/entity-schemas.ts";
import { BundleKey } from "./bundle.ts";
import { cycleOf } from "./references.ts";

/** A whole bundle: what is not in it will be gone (contract 4.8, 4.11). */
export const GraphImport = BundleKey.extend({
  version: z.string().min(1, "must not be empty").max(LIMITS.graph_version_characters).optional(),
  /** False refuses a bundle that exists already; absent, it is replaced. */
  replace_existing: z.boolean().optional(),
  schemas: z
    .array(BundledSchema)
    .min(1, "must hold at least one schema")
    .max(LIMITS.graph_types, `must hold at most ${LIMITS.graph_types} schemas`),
  entities: z
    .array(
      z.object({
        entity_type: EntityType,
        items: z.array(z.unknown()).describe("the entities, as objects"),
      }),
    )
    .optional(),
});
export type GraphImport = z.output<typeof GraphImport>;

/** An entity type whose entities hold what its schema says. */
export interface CheckedType {
  readonly given: z.output<typeof BundledSchema>;
  readonly checked: CheckedSchema;
  readonly entities: CheckedEntity[];
  readonly data_bytes: number;
}

export interface CheckedBundle {
  readonly types: readonly CheckedType[];
  readonly warnings: readonly string[];
}

/** Everything that can be known without the store. Throws `bad_request` naming the place. */
export async function checkImport(
  schemas: EntitySchemas,
  bundle: GraphImport,
): Promise<CheckedBundle> {
  const checked = new Map<string, CheckedSchema>();
  for (const [index, { entity_type, schema }] of bundle.schemas.entries()) {
    const place = `schemas.${index} (${entity_type})`;
    if (checked.has(entity_type)) throw badRequest(`${place}: this type is there already`);
    checked.set(
      entity_type,
      within(place, () => schemas.check(schema)),
    );
    await giveWay();
  }
  requireTargets(bundle, checked);
  const entities = await checkEntities(bundle, checked);
  const types = bundle.schemas.map((given): CheckedType => {
    const own = [...(entities.get(given.entity_type)?.values() ?? [])];
    const data_bytes = own.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      given,
      checked: checked.get(given.entity_type) as CheckedSchema,
      entities: own,
      data_bytes,
    };
  });
  return { types, warnings: cycleWarnings(checked) };
}

/** `x-ref` may only name types of the bundle, and `x-ref-field` properties that they have. */
function requireTargets({ schemas }: GraphImport, types: ReadonlyMap<string, CheckedSchema>): void {
  const properties = new Map(
    schemas.map(({ entity_type, schema }) => [entity_type, schema.properties as object]),
  );
  for (const [entity_type, { shape }] of types) {
    for (const { entity_type: target, ref_field, path } of shape.references) {
      const place = `${entity_type}: ${path}`;
      const known = properties.get(target);
      if (!known) throw badRequest(`${place}.x-ref: there is no entity type "${target}"`);
      if (ref_field === undefined || Object.hasOwn(known, ref_field)) continue;
      throw badRequest(`${place}.x-ref-field: "${target}" has no property "${ref_field}"`);
    }
  }
}

async function checkEntities(
  { bundle, entities = [] }: GraphImport,
  types: ReadonlyMap<string, CheckedSchema>,
): Promise<Map<string, Map<string, CheckedEntity>>> {
  const found = new Map<string, Map<string, CheckedEntity>>();
  let bytes = 0;
  for (const [index, { entity_type, items }] of entities.entries()) {
    const place = `entities.${index} (${entity_type})`;
    const type = types.get(entity_type);
    if (!type) throw badRequest(`${place}: schemas has no such entity type`);
    const own = found.get(entity_type) ?? new Map<string, CheckedEntity>();
    found.set(entity_type, own);
    for (const [item, data] of items.entries()) {
      bytes += within(`${place}.items.${item}`, () => addEntity(own, type, data));
      requireRoom(bundle, bytes);
      await giveWay();
    }
  }
  return found;
}

/** Returns its bytes. */
function addEntity(known: Map<string, CheckedEntity>, type: CheckedSchema, data: unknown): number {
  const entity = checkEntity(type, requireObject(data));
  if (known.has(entity.entity_id)) {
    throw badRequest(`the id "${entity.entity_id}" is there twice`);
  }
  known.set(entity.entity_id, entity);
  return entity.bytes;
}

function requireObject(data: unknown): Record<string, unknown> {
  if (isObject(data)) return data;
  throw badRequest("must be an object");
}

/** Says where it was, as a bundle holds many of the same. */
function within<Result>(place: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    throw badRequest(`${place}: ${error.message}`, { cause: error });
  }
}

function cycleWarnings(types: ReadonlyMap<string, CheckedSchema>): string[] {
  const edges = [...types].flatMap(([from, { shape }]) =>
    shape.references.map(({ entity_type: to }) => ({ from, to })),
  );
  const cycle = cycleOf(edges);
  return cycle ? [`entity types refer to each other in a circle: ${cycle.join(" → ")}`] : [];
}
