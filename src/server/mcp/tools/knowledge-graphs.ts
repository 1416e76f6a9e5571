import { z } from "zod";
import { BundleKey } from "#engine/knowledge-graphs/bundles/bundle.ts";
import { GraphImport } from "#engine/knowledge-graphs/bundles/import.ts";
import { deleteGraph, getGraph, listGraphs } from "#engine/knowledge-graphs/bundles/operations.ts";
import { exportGraph, importGraph } from "#engine/knowledge-graphs/bundles/transfer-operations.ts";
import { listTool, type McpTool, renamed, tool } from "../tool.ts";

const Key = z.object({ bundle_name: BundleKey.shape.bundle });
const toKey = renamed({ bundle_name: "bundle" });
const { version, schemas, entities } = GraphImport.shape;

export const knowledgeGraphTools: readonly McpTool[] = [
  listTool(
    "admin_list_knowledge_graphs",
    listGraphs,
    "knowledge_graphs",
    ({ bundle_name, version: is_at, manifest }) =>
      `${bundle_name} ${is_at}: ${manifest.entity_types.map(({ entity_type, entity_count }) => `${entity_count} ${entity_type}`).join(", ")}`,
  ),
  tool("admin_get_knowledge_graph", getGraph, Key, { toInput: toKey }),
  tool("admin_export_knowledge_graph", exportGraph, Key, { toInput: toKey }),
  tool(
    "admin_import_knowledge_graph",
    importGraph,
    Key.extend({
      version,
      schemas,
      entities,
      replace_existing: z
        .boolean()
        .optional()
        .describe(
          "True replaces a graph that exists, which removes what the import does not hold and needs manage authority",
        ),
    }),
    {
      description:
        "Import a whole knowledge graph: entity schemas (with x-id-field) and their entities",
      // Full reconciliation destroys what the import does not hold (specification 4 Knowledge graphs).
      authorityFor: ({ replace_existing }) => (replace_existing === true ? "manage" : "provision"),
      toInput: ({ bundle_name, replace_existing = false, ...given }) => ({
        ...given,
        bundle: bundle_name,
        replace_existing,
      }),
    },
  ),
  tool("admin_delete_knowledge_graph", deleteGraph, Key, { toInput: toKey }),
];
