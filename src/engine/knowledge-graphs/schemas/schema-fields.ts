import type { z } from "zod";
import type { SchemaPut, SchemaRecord } from "./entity-schema.ts";
import type { CheckedSchema } from "./entity-schemas.ts";

export type SchemaFields = Pick<
  SchemaRecord,
  "schema_json" | "schema_hash" | "id_field" | "expose_tools" | "tool_description"
>;

/** What is said outright wins over the schema's annotations. */
export const fieldsOf = (
  { schema_hash, shape }: CheckedSchema,
  given: Pick<z.output<typeof SchemaPut>, "schema" | "expose_tools" | "tool_description">,
): SchemaFields => ({
  schema_json: given.schema,
  schema_hash,
  id_field: shape.id_field,
  expose_tools: given.expose_tools ?? shape.expose_tools,
  tool_description: (given.tool_description ?? shape.tool_description) || undefined,
});

/** Whether entities are filtered and sorted by the same as before. */
export const isIndexedAlike = (one: CheckedSchema, other: CheckedSchema): boolean =>
  JSON.stringify(one.shape.indexed) === JSON.stringify(other.shape.indexed);
