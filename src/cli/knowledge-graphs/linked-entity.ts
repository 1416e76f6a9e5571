import type { z } from "zod";
import type { Entity } from "#engine/knowledge-graphs/entities/entity.ts";
import {
  getEntities,
  getEntity,
  listEntities,
} from "#engine/knowledge-graphs/entities/operations.ts";
import type { EntitySchema } from "#engine/knowledge-graphs/schemas/entity-schema.ts";
import { placesOf } from "#engine/knowledge-graphs/schemas/json-schema.ts";
import { listEntitySchemas } from "#engine/knowledge-graphs/schemas/operations.ts";
import {
  type EntityShape,
  type Reference,
  readShape,
} from "#engine/knowledge-graphs/schemas/shape.ts";
import type { Client } from "../client/client.ts";

export type ListedEntity = z.output<typeof Entity>;

/** What one of an entity's properties names. */
export interface Link {
  readonly field: string;
  readonly entity_type: string;
  readonly value: string;
  /** The entity itself; null when there is none, or no telling which. */
  readonly data: Record<string, unknown> | null;
}

/** Entities of another type that name this one. */
export interface BackLink {
  readonly entity_type: string;
  readonly field: string;
  readonly total: number;
  /** The first of them. */
  readonly ids: string[];
}

export interface LinkedEntity {
  readonly entity: ListedEntity;
  readonly references: Link[];
  readonly referred_by: BackLink[];
}

const MOST_LINKS = 100;
const FEW = 5;

export const shapeOf = ({ schema_json }: z.output<typeof EntitySchema>): EntityShape =>
  readShape(schema_json, placesOf(schema_json));

/** An entity with what it refers to, and with what refers to it by an indexed property. */
export async function readLinked(
  client: Client,
  bundle: string,
  entity_type: string,
  id: string,
): Promise<LinkedEntity> {
  const entity = await client.call(getEntity, { bundle, entity_type, id });
  const types = await client.call(listEntitySchemas, { bundle });
  const shapes = new Map(types.map((type) => [type.entity_type, shapeOf(type)]));
  const links = (shapes.get(entity_type)?.references ?? []).flatMap((link) => named(entity, link));
  const references = await resolveLinks(client, bundle, shapes, links.slice(0, MOST_LINKS));
  const asking = [...shapes].flatMap(([other, shape]) => askingFor(entity, other, shape));
  const referred_by: BackLink[] = [];
  for (const { entity_type: other, field, value } of asking) {
    const filter = { [`filter[${field}]`]: value, limit: FEW };
    const found = await client.call(listEntities, { bundle, entity_type: other, ...filter });
    const ids = found.items.map(({ entity_id }) => entity_id);
    if (found.total > 0) referred_by.push({ entity_type: other, field, total: found.total, ids });
  }
  return { entity, references, referred_by };
}

/** The indexed properties of a type that may name this entity. */
const askingFor = (entity: ListedEntity, other: string, shape: EntityShape) =>
  shape.references.flatMap((reference) => {
    const { field, entity_type } = reference;
    if (field === undefined || entity_type !== entity.entity_type) return [];
    const value = nameIn(entity, reference);
    if (value === undefined || !isIndexed(shape, field)) return [];
    return [{ entity_type: other, field, value }];
  });

type Named = Omit<Link, "data"> & Pick<Reference, "ref_field">;

/** A property may name one entity, or a list of them. */
function named({ data }: ListedEntity, { field, entity_type, ref_field }: Reference): Named[] {
  if (field === undefined) return [];
  return [data[field]]
    .flat()
    .flatMap((value) =>
      typeof value === "string" ? [{ field, entity_type, value, ref_field }] : [],
    );
}

/** What others call this entity by. */
const nameIn = (
  { entity_id, data }: ListedEntity,
  { ref_field }: Reference,
): string | undefined => {
  const value = ref_field === undefined ? entity_id : data[ref_field];
  return typeof value === "string" ? value : undefined;
};

const isIndexed = (shape: EntityShape | undefined, field: string | undefined): boolean =>
  shape?.indexed.some(({ name }) => name === field) ?? false;

async function resolveLinks(
  client: Client,
  bundle: string,
  shapes: ReadonlyMap<string, EntityShape>,
  links: readonly Named[],
): Promise<Link[]> {
  const byId = new Map<string, Record<string, unknown>>();
  const key = (entity_type: string, value: string) => JSON.stringify([entity_type, value]);
  for (const entity_type of new Set(links.map((link) => link.entity_type))) {
    if (!shapes.has(entity_type)) continue;
    const own = links.filter((link) => link.entity_type === entity_type);
    const direct = own.filter((link) => isById(shapes, link)).map(({ value }) => value);
    if (direct.length === 0) continue;
    const { entities } = await client.call(getEntities, { bundle, entity_type, ids: direct });
    for (const { entity_id, data } of entities) byId.set(key(entity_type, entity_id), data);
  }
  const resolved: Link[] = [];
  for (const link of links) {
    const { field, entity_type, value } = link;
    const data = isById(shapes, link)
      ? byId.get(key(entity_type, value))
      : await findByField(client, bundle, shapes, link);
    resolved.push({ field, entity_type, value, data: data ?? null });
  }
  return resolved;
}

const isById = (
  shapes: ReadonlyMap<string, EntityShape>,
  { entity_type, ref_field }: Named,
): boolean => ref_field === undefined || ref_field === shapes.get(entity_type)?.id_field;

async function findByField(
  client: Client,
  bundle: string,
  shapes: ReadonlyMap<string, EntityShape>,
  { entity_type, ref_field, value }: Named,
): Promise<Record<string, unknown> | undefined> {
  if (!isIndexed(shapes.get(entity_type), ref_field)) return undefined;
  const filter = { [`filter[${ref_field}]`]: value, limit: 1 };
  const { items } = await client.call(listEntities, { bundle, entity_type, ...filter });
  return items[0]?.data;
}
