import { z } from "zod";
import type { Context } from "../../context.ts";
import { conflict } from "../../kernel/error.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { defineOperation } from "../../operation.ts";
import type { Reads, Writes } from "../../store.ts";
import { BundledSchema } from "../schemas/entity-schema.ts";
import { fieldsOf } from "../schemas/schema-fields.ts";
import { findCollision, listedTools, longNames } from "../tools/tool-names.ts";
import { BundleKey, requireBundle } from "./bundle.ts";
import { type CheckedType, checkImport, GraphImport } from "./import.ts";
import { reconcile } from "./reconcile.ts";

/** What a bundle is called that says nothing of its version (decision 20). */
const FIRST_VERSION = "1.0.0";

const Names = z.array(z.string());

/** Applies a whole bundle or nothing of it: what it does not hold is gone afterwards. */
export const importGraph = defineOperation({
  name: "knowledge_graphs.import",
  summary: "Make a knowledge graph exactly what is given: what is not in it is removed",
  scope: "agents:write",
  effect: "write",
  input: GraphImport,
  output: z.object({
    applied: z.literal(true),
    bundle_name: z.string(),
    version: z.string(),
    schemas: z.object({ added: Names, changed: Names, removed: Names, unchanged: Names }),
    entities: z.array(
      z.object({
        entity_type: z.string(),
        added: z.int(),
        changed: z.int(),
        removed: z.int(),
        unchanged: z.int(),
      }),
    ),
    warnings: Names,
  }),
  async run(ctx, input) {
    const { bundle: bundle_name, version = FIRST_VERSION } = input;
    const schemas = await ctx.services.entity_schemas();
    const { types, warnings } = await checkImport(schemas, input);
    return ctx.write(async (tx) => {
      const exposed = toExposed(bundle_name, types);
      await requireFreeTools(ctx, tx, bundle_name, exposed);
      const known = await tx.graph_bundles.get(bundle_name);
      if (known && input.replace_existing === false) {
        throw conflict(
          `the knowledge graph "${bundle_name}" exists already; say replace_existing: true to replace it, which removes what the import does not hold`,
        );
      }
      const updated_at = ctx.now().toISOString();
      if (known) await tx.graph_bundles.update(bundle_name, { version, updated_at });
      else
        await tx.graph_bundles.insert({ bundle_name, version, created_at: updated_at, updated_at });
      const changes = await reconcile({ schemas, now: ctx.now() }, tx, bundle_name, types);
      const told = [...warnings, ...longNames(exposed)];
      return { applied: true as const, bundle_name, version, ...changes, warnings: told };
    });
  },
});

const toExposed = (bundle_name: string, types: readonly CheckedType[]) =>
  types.map(({ given, checked }) => {
    const { expose_tools } = fieldsOf(checked, given);
    return { bundle_name, entity_type: given.entity_type, expose_tools };
  });

async function requireFreeTools(
  ctx: Pick<Context, "services">,
  tx: Writes,
  bundle: string,
  types: ReturnType<typeof toExposed>,
): Promise<void> {
  const exposed = await tx.graph_schemas.listExposed();
  const others = exposed.filter(({ bundle_name }) => bundle_name !== bundle);
  const collision = findCollision(types, others, await listedTools(ctx, tx));
  if (collision !== undefined) throw conflict(collision);
}

/** A bundle as it is imported again; `is_complete` is false where a type has more entities than are told. */
export const exportGraph = defineOperation({
  name: "knowledge_graphs.export",
  summary: `Export a knowledge graph as data, at most ${LIMITS.graph_export_entities} entities of a type`,
  scope: "agents:read",
  effect: "read",
  input: BundleKey,
  output: z.object({
    bundle_name: z.string(),
    version: z.string(),
    schemas: z.array(BundledSchema),
    entities: z.array(
      z.object({ entity_type: z.string(), items: z.array(z.record(z.string(), z.unknown())) }),
    ),
    is_complete: z.boolean(),
  }),
  run: async ({ read }, { bundle }) => {
    const { bundle_name, version } = await requireBundle(read, bundle);
    const types = await read.graph_schemas.listByBundle(bundle_name);
    const entities = await Promise.all(
      types.map(async ({ id, entity_type }) => ({ entity_type, items: await itemsOf(read, id) })),
    );
    return {
      bundle_name,
      version,
      schemas: types.map(({ schema_json, ...type }) => ({ ...type, schema: schema_json })),
      entities,
      is_complete: types.every(({ entity_count }) => entity_count <= LIMITS.graph_export_entities),
    };
  },
});

async function itemsOf(
  { graph_entities }: Pick<Reads, "graph_entities">,
  type_id: number,
): Promise<Record<string, unknown>[]> {
  const entities = await graph_entities.listAfter(type_id, "", LIMITS.graph_export_entities);
  return entities.map(({ data }) => JSON.parse(data));
}
