import { z } from "zod";
import { notFound } from "../../kernel/error.ts";
import { Timestamp } from "../../kernel/fields.ts";

/** Contract 0.4. */
export const BundleName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,62}[a-z0-9]$/,
    "must be 2 to 64 lower-case letters, digits and inner hyphens, and begin with a letter, like `my-bundle`",
  );

export const BundleKey = z.object({ bundle: BundleName });

/** A knowledge graph: entity types and their entities, which are imported together (contract 2.14). */
export const GraphBundle = z.object({
  bundle_name: z.string(),
  version: z.string(),
  manifest: z.object({
    entity_types: z.array(
      z.object({ entity_type: z.string(), schema_hash: z.string(), entity_count: z.int() }),
    ),
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export interface BundleRecord {
  readonly bundle_name: string;
  readonly version: string;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface GraphBundleReads {
  /** In order of their names. */
  list(): Promise<BundleRecord[]>;
  get(bundle_name: string): Promise<BundleRecord | undefined>;
}

export interface GraphBundleWrites extends GraphBundleReads {
  insert(bundle: BundleRecord): Promise<void>;
  update(
    bundle_name: string,
    fields: Partial<Pick<BundleRecord, "version" | "updated_at">>,
  ): Promise<void>;
  /** With its schemas; its entities must be gone already. */
  delete(bundle_name: string): Promise<void>;
}

/** Takes either face of the store, so it serves inside and outside a transaction. */
export async function requireBundle(
  { graph_bundles }: { readonly graph_bundles: GraphBundleReads },
  bundle_name: string,
): Promise<BundleRecord> {
  const bundle = await graph_bundles.get(bundle_name);
  if (!bundle) throw notFound("knowledge graph", bundle_name);
  return bundle;
}
