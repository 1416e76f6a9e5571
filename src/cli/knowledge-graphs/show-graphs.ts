import type { z } from "zod";
import { isObject } from "#engine/kernel/json.ts";
import type { GraphBundle } from "#engine/knowledge-graphs/bundles/bundle.ts";
import type { EntitySchema } from "#engine/knowledge-graphs/schemas/entity-schema.ts";
import { sanitizeLine } from "../chat/sanitize.ts";
import { table } from "../table.ts";
import { type LinkedEntity, type ListedEntity, shapeOf } from "./linked-entity.ts";

type Bundle = z.output<typeof GraphBundle>;
type Type = z.output<typeof EntitySchema>;

const MOST_COLUMNS = 6;
const WIDEST_CELL = 40;
const MOST_DETAILS = 3;

export const bundleTable = (bundles: readonly Bundle[]): string =>
  table(
    ["NAME", "VERSION", "TYPES", "ENTITIES", "UPDATED"],
    bundles.map(({ bundle_name, version, manifest: { entity_types }, updated_at }) => [
      bundle_name,
      sanitizeLine(version),
      entity_types.map(({ entity_type }) => entity_type).join(","),
      String(entity_types.reduce((sum, { entity_count }) => sum + entity_count, 0)),
      updated_at,
    ]),
  );

export function typeTable({ manifest }: Bundle, types: readonly Type[]): string {
  const counts = new Map(
    manifest.entity_types.map(({ entity_type, entity_count }) => [entity_type, entity_count]),
  );
  return table(
    ["TYPE", "ENTITIES", "ID", "FILTERS AND SORTS BY", "REFERS TO", "TOOLS"],
    types.map((type) => {
      const { indexed, references } = shapeOf(type);
      return [
        type.entity_type,
        String(counts.get(type.entity_type) ?? 0),
        sanitizeLine(type.id_field),
        sanitizeLine(indexed.map(({ name }) => name).join(",")),
        [...new Set(references.map(({ entity_type }) => entity_type))].join(","),
        type.expose_tools.join(","),
      ];
    }),
  );
}

/** Their ids, and what the schema names as a summary, or its first properties. */
export function entityTable(type: Type, entities: readonly ListedEntity[]): string {
  const { id_field, summary_fields } = shapeOf(type);
  const properties = isObject(type.schema_json.properties) ? type.schema_json.properties : {};
  const others = Object.keys(properties).filter((name) => name !== id_field);
  const fields = summary_fields.length > 0 ? summary_fields : others.slice(0, MOST_COLUMNS);
  return table(
    [id_field, ...fields].map((name) => sanitizeLine(name).toUpperCase()),
    entities.map(({ entity_id, data }) => [
      sanitizeLine(entity_id),
      ...fields.map((field) => shortened(Object.hasOwn(data, field) ? cell(data[field]) : "")),
    ]),
  );
}

/** One property a line, what it refers to beside it; then who refers to it. */
export function entityText({ entity, references, referred_by }: LinkedEntity): string {
  const { entity_type, entity_id, data, created_at, updated_at } = entity;
  const width = Math.max(...Object.keys(data).map((name) => sanitizeLine(name).length), 0);
  const properties = Object.entries(data).flatMap(([name, value]) => {
    const links = references.filter(({ field }) => field === name);
    const lines = links.map((link) => `${" ".repeat(width + 4)}→ ${linkText(link)}`);
    return [`  ${sanitizeLine(name).padEnd(width)}  ${cell(value)}`, ...lines];
  });
  const backwards = referred_by.map(({ entity_type: other, field, total, ids }) => {
    const named = ids.map((id) => sanitizeLine(id)).join(", ");
    return `  ${other}.${sanitizeLine(field)}  ${total}: ${named}${total > ids.length ? ", …" : ""}`;
  });
  return [
    `${entity_type} ${sanitizeLine(entity_id)}`,
    ...properties,
    ...(backwards.length > 0 ? ["Referred to by", ...backwards] : []),
    `Created ${created_at}, changed ${updated_at}`,
  ].join("\n");
}

function linkText({ entity_type, value, data }: LinkedEntity["references"][number]): string {
  const name = `${entity_type} ${sanitizeLine(value)}`;
  if (!data) return `${name} (not found)`;
  const details = Object.entries(data)
    .filter(([, each]) => each !== value && !isObject(each) && !Array.isArray(each))
    .slice(0, MOST_DETAILS)
    .map(([field, each]) => `${sanitizeLine(field)} ${shortened(cell(each))}`);
  return details.length > 0 ? `${name} (${details.join(", ")})` : name;
}

function cell(value: unknown): string {
  return sanitizeLine(typeof value === "string" ? value : JSON.stringify(value));
}

const shortened = (text: string): string =>
  text.length > WIDEST_CELL ? `${text.slice(0, WIDEST_CELL - 1)}…` : text;
