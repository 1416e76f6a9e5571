import { z } from "zod";
import { notFound } from "../../kernel/error.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { BundleKey } from "../bundles/bundle.ts";

/** Contract 0.4. */
export const EntityType = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,62}[a-z0-9]$/,
    "must be 2 to 64 lower-case letters, digits and inner underscores, and begin with a letter, like `my_type`",
  );

export const TOOL_KINDS = ["list", "get", "list_ids"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export const EntityTypeKey = BundleKey.extend({ entity_type: EntityType });

/** What may be written of an entity schema; what is given here wins over the schema's annotations. */
const SchemaFields = z.object({
  schema: z
    .record(z.string(), z.unknown())
    .describe("JSON Schema (draft 2020-12) with the annotations x-id-field, x-index, x-ref …"),
  expose_tools: z.array(z.enum(TOOL_KINDS)).optional(),
  tool_description: z.string().max(LIMITS.description_characters).optional(),
});

export const SchemaPut = SchemaFields.extend(EntityTypeKey.shape);

/** An entity schema as bundles are imported and exported. */
export const BundledSchema = SchemaFields.extend({ entity_type: EntityType });

/** What entities of a type look like, and which tools agents get for them (contract 2.14). */
export const EntitySchema = z.object({
  bundle_name: z.string(),
  entity_type: z.string(),
  schema_json: z.record(z.string(), z.unknown()),
  /** SHA-256 of the schema, whatever the order of its keys. */
  schema_hash: z.string(),
  id_field: z.string(),
  expose_tools: z.array(z.enum(TOOL_KINDS)),
  tool_description: z.string().optional(),
});

export interface SchemaRecord {
  readonly id: number;
  readonly bundle_name: string;
  readonly entity_type: string;
  readonly schema_json: Record<string, unknown>;
  readonly schema_hash: string;
  readonly id_field: string;
  readonly expose_tools: ToolKind[];
  readonly tool_description?: string | undefined;
  readonly entity_count: number;
  /** Of all its entities' JSON. */
  readonly data_bytes: number;
  /** Grows with each change of the type or its entities; begins with the time, as ids may come again. */
  readonly revision: number;
}

/** What a type's tools are made of, without its schema. */
export type ExposedType = Pick<SchemaRecord, "bundle_name" | "entity_type" | "expose_tools">;

export interface GraphSchemaReads {
  /** In order of their types. */
  listByBundle(bundle_name: string): Promise<SchemaRecord[]>;
  get(bundle_name: string, entity_type: string): Promise<SchemaRecord | undefined>;
  /** Of all bundles. */
  listExposed(): Promise<ExposedType[]>;
}

export interface GraphSchemaWrites extends GraphSchemaReads {
  /** Returns the new type's id. */
  insert(schema: Omit<SchemaRecord, "id">): Promise<number>;
  /** The revision grows by itself. */
  update(id: number, fields: Partial<Omit<SchemaRecord, "id" | "revision">>): Promise<void>;
  /** Its entities must be gone already. */
  delete(id: number): Promise<void>;
}

/** Takes either face of the store. Throws `not_found` that says which of the two is missing. */
export async function requireType(
  { graph_schemas }: { readonly graph_schemas: GraphSchemaReads },
  bundle_name: string,
  entity_type: string,
): Promise<SchemaRecord> {
  const schema = await graph_schemas.get(bundle_name, entity_type);
  if (!schema) throw notFound("entity type", `${bundle_name}/${entity_type}`);
  return schema;
}

export const toEntitySchema = ({
  id,
  entity_count,
  data_bytes,
  revision,
  ...schema
}: SchemaRecord): z.input<typeof EntitySchema> => schema;
