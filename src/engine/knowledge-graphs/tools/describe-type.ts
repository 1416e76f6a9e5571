import { isObject } from "../../kernel/json.ts";
import type { SchemaRecord } from "../schemas/entity-schema.ts";
import type { CheckedSchema } from "../schemas/entity-schemas.ts";
import { toolName } from "./tool-names.ts";

const MOST_PROPERTIES = 40;
const LONGEST_DESCRIPTION = 120;

/** What a model has to know of a type to use its tools: what its entities hold, and what they refer to. */
export function describeType(
  type: SchemaRecord,
  { shape }: CheckedSchema,
  gettable: ReadonlySet<string>,
): string {
  const { bundle_name, entity_type, schema_json, tool_description } = type;
  const properties = isObject(schema_json.properties) ? Object.entries(schema_json.properties) : [];
  const told = properties.slice(0, MOST_PROPERTIES).map(([name, property]) => {
    const notes = [
      name === shape.id_field ? "the id" : "",
      ...shape.references
        .filter(({ field }) => field === name)
        .map((reference) => referenceNote(reference, gettable)),
      noteOf(property),
    ].filter(Boolean);
    return `${name} (${[typeOf(property), ...notes].join("; ")})`;
  });
  const more = properties.length - told.length;
  const purpose = tool_description ?? `Facts of the type "${entity_type}" in "${bundle_name}".`;
  return `${purpose}\nProperties: ${told.join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

function referenceNote(
  { entity_type, ref_field }: CheckedSchema["shape"]["references"][number],
  gettable: ReadonlySet<string>,
): string {
  const what = `${ref_field ?? "the id"} of a ${entity_type}`;
  const is_gettable = ref_field === undefined && gettable.has(entity_type);
  return is_gettable ? `${what}: see ${toolName("get", entity_type)}` : what;
}

function typeOf(property: unknown): string {
  if (!isObject(property)) return "anything";
  if (Array.isArray(property.enum)) return "one of several";
  return [property.type ?? "anything"].flat().join(" or ");
}

function noteOf(property: unknown): string {
  const description = isObject(property) ? (property.description ?? property.title) : undefined;
  if (typeof description !== "string") return "";
  const text = description.replace(/\s+/g, " ").trim();
  return text.length > LONGEST_DESCRIPTION ? `${text.slice(0, LONGEST_DESCRIPTION)}…` : text;
}
