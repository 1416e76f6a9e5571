import type { Context } from "../../context.ts";
import type { Reads } from "../../store.ts";
import { isReserved } from "../../tools/tool-name.ts";
import type { ExposedType, ToolKind } from "../schemas/entity-schema.ts";

/** What most providers take. */
const LONGEST_NAME = 64;

export function toolName(kind: ToolKind, entity_type: string): string {
  switch (kind) {
    case "list":
      return `list_${entity_type}`;
    case "get":
      return `get_${entity_type}`;
    case "list_ids":
      return `list_${entity_type}_ids`;
  }
}

export const toolNames = ({ entity_type, expose_tools }: ExposedType): string[] =>
  expose_tools.map((kind) => toolName(kind, entity_type));

/**
 * Why a bundle's types can't have the tools that they expose: an agent could not tell them from others.
 * `others` are the types of all other bundles, `listed` tells the tools that agents list by name.
 */
export function findCollision(
  types: readonly ExposedType[],
  others: readonly ExposedType[],
  listed: { has(name: string): boolean },
): string | undefined {
  const known = new Map(
    others.flatMap((type) => toolNames(type).map((name) => [name, typeOf(type)])),
  );
  for (const type of types) {
    for (const name of toolNames(type)) {
      const other = known.get(name);
      if (other !== undefined)
        return `the tool ${name} of the entity type "${type.entity_type}" is one of ${other} already; rename the type, or leave the tool out of expose_tools`;
      if (isReserved(name) || listed.has(name))
        return `the tool ${name} of the entity type "${type.entity_type}" has the name of a built-in or declared tool; rename the type`;
      known.set(name, typeOf(type));
    }
  }
  return undefined;
}

/** The product's own tools, and those that a configuration document declares. */
export async function listedTools(
  { services }: Pick<Context, "services">,
  { http_tools }: Pick<Reads, "http_tools">,
): Promise<ReadonlySet<string>> {
  const declared = await http_tools.list();
  return new Set([...services.tools.keys(), ...declared.map(({ name }) => name)]);
}

const typeOf = ({ bundle_name, entity_type }: ExposedType): string =>
  `the entity type "${entity_type}" of the bundle "${bundle_name}"`;

/** Names that some providers refuse, each as a sentence. */
export const longNames = (types: readonly ExposedType[]): string[] =>
  types
    .flatMap(toolNames)
    .filter((name) => name.length > LONGEST_NAME)
    .map(
      (name) =>
        `the tool ${name} has a name of more than ${LONGEST_NAME} characters, which some model providers refuse`,
    );
