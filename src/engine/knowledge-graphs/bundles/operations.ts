import { z } from "zod";
import { Nothing } from "../../kernel/fields.ts";
import { defineOperation } from "../../operation.ts";
import type { Reads } from "../../store.ts";
import { BundleKey, type BundleRecord, GraphBundle, requireBundle } from "./bundle.ts";

export const listGraphs = defineOperation({
  name: "knowledge_graphs.list",
  summary: "List knowledge graphs",
  scope: "agents:read",
  effect: "read",
  input: z.object({}),
  output: z.array(GraphBundle),
  run: async ({ read }) => {
    const bundles = await read.graph_bundles.list();
    return Promise.all(bundles.map((bundle) => toBundle(read, bundle)));
  },
});

export const getGraph = defineOperation({
  name: "knowledge_graphs.get",
  summary: "Read a knowledge graph: its version and its entity types",
  scope: "agents:read",
  effect: "read",
  input: BundleKey,
  output: GraphBundle,
  run: async ({ read }, { bundle }) => toBundle(read, await requireBundle(read, bundle)),
});

export const deleteGraph = defineOperation({
  name: "knowledge_graphs.delete",
  summary: "Delete a knowledge graph with its schemas and entities, if it is there",
  scope: "agents:write",
  effect: "destroy",
  input: BundleKey,
  output: Nothing,
  run: (ctx, { bundle }) =>
    ctx.write(async (tx) => {
      const types = await tx.graph_schemas.listByBundle(bundle);
      for (const { id } of types) await tx.graph_entities.clear(id);
      await tx.graph_bundles.delete(bundle);
      return undefined;
    }),
});

async function toBundle(
  { graph_schemas }: Pick<Reads, "graph_schemas">,
  bundle: BundleRecord,
): Promise<z.input<typeof GraphBundle>> {
  const types = await graph_schemas.listByBundle(bundle.bundle_name);
  return { ...bundle, manifest: { entity_types: types } };
}
