import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { HttpUrl, Name, Timestamp } from "../kernel/fields.ts";

/** How a model is named wherever one is referenced: its integer id, the same as text, or its name. */
export const ModelReference = z.union([z.int().positive(), z.string().min(1)]);
export type ModelReference = z.infer<typeof ModelReference>;

export const ModelKind = z.enum(["chat", "embedding"]);
export type ModelKind = z.infer<typeof ModelKind>;

const CacheControl = z.object({
  enabled: z.boolean(),
  breakpoints: z.array(z.enum(["system", "tools", "history"])).optional(),
  min_prefix_tokens: z.int().min(0).optional(),
});

/** Writable fields. No `.default()`: a PATCH must tell "absent" from "default". */
const ModelFields = z.object({
  type: z.string().min(1),
  kind: ModelKind,
  model_name: z.string().min(1).max(256),
  base_url: z.union([z.literal(""), HttpUrl]),
  api_key: z.string().max(8192),
  api_version: z.string().max(64),
  embedding_dim: z.int().min(0).max(65_536),
  is_default: z.boolean(),
  extra_body: z.record(z.string(), z.unknown()),
  cache_control: CacheControl,
});

export const ModelKey = z.object({ name: z.string().min(1) });
export const ModelCreate = ModelFields.partial()
  .required({ type: true, model_name: true })
  .extend({ name: Name });
export const ModelReplace = ModelFields.partial()
  .required({ type: true, model_name: true, kind: true })
  .extend({ ...ModelKey.shape, rename: Name.optional() });
export const ModelPatch = ModelFields.partial().extend({
  ...ModelKey.shape,
  rename: Name.optional(),
});

/** A model as clients see it: the key is never among its fields, so it cannot leak (section 2). */
export const Model = z.object({
  id: z.int(),
  name: z.string(),
  type: z.string(),
  kind: ModelKind,
  base_url: z.string().optional(),
  model_name: z.string(),
  has_api_key: z.boolean(),
  api_version: z.string().optional(),
  embedding_dim: z.int().optional(),
  is_default: z.boolean(),
  extra_body: z.record(z.string(), z.unknown()).optional(),
  cache_control: CacheControl.optional(),
  created_at: Timestamp,
});

export interface ModelRecord {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly kind: ModelKind;
  readonly base_url?: string | undefined;
  readonly model_name: string;
  readonly sealed_api_key?: string | undefined;
  readonly api_version?: string | undefined;
  readonly embedding_dim?: number | undefined;
  readonly is_default: boolean;
  readonly extra_body?: Record<string, unknown> | undefined;
  readonly cache_control?: z.infer<typeof CacheControl> | undefined;
  readonly created_at: string;
}

export interface ModelReads {
  /** Oldest first. */
  list(kind?: ModelKind): Promise<ModelRecord[]>;
  get(id: number): Promise<ModelRecord | undefined>;
  getByName(name: string): Promise<ModelRecord | undefined>;
  getDefault(): Promise<ModelRecord | undefined>;
}

export interface ModelWrites extends ModelReads {
  insert(model: Omit<ModelRecord, "id">): Promise<ModelRecord>;
  update(id: number, fields: Partial<ModelRecord>): Promise<void>;
  delete(id: number): Promise<void>;
  /** At most one chat model is the default. */
  clearDefault(): Promise<void>;
}

export const toModel = ({ sealed_api_key, ...model }: ModelRecord) => ({
  ...model,
  has_api_key: sealed_api_key !== undefined,
});

/** Finds a model by any of its references. */
export async function findModel(
  models: ModelReads,
  reference: ModelReference,
): Promise<ModelRecord | undefined> {
  const id = Number(reference);
  if (Number.isSafeInteger(id)) {
    const model = await models.get(id);
    if (model) return model;
  }
  return typeof reference === "string" ? models.getByName(reference) : undefined;
}

/** `{name}` takes the name, and for clients that keep ids also the id. Throws `not_found`. */
export async function requireModel(models: ModelReads, name: string): Promise<ModelRecord> {
  const model = (await models.getByName(name)) ?? (await findModel(models, name));
  if (!model) throw notFound("model", name);
  return model;
}
