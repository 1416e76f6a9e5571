import type { z } from "zod";
import { EngineError } from "#engine/kernel/error.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import type { GraphBundle } from "#engine/knowledge-graphs/bundles/bundle.ts";
import { getGraph } from "#engine/knowledge-graphs/bundles/operations.ts";
import { listEntities } from "#engine/knowledge-graphs/entities/operations.ts";
import { listEntitySchemas } from "#engine/knowledge-graphs/schemas/operations.ts";
import type { Client } from "../client/client.ts";

const ATTEMPTS = 3;

/**
 * A whole bundle as it is imported again, page by page. Begins anew when somebody changes it meanwhile,
 * so that what comes is of one moment. Throws EngineError.
 */
export async function pullBundle(client: Client, bundle: string) {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const before = await client.call(getGraph, { bundle });
    const pulled = await pullOnce(client, before);
    const after = await client.call(getGraph, { bundle });
    if (JSON.stringify(before) === JSON.stringify(after)) return pulled;
  }
  throw new EngineError(
    "conflict",
    `"${bundle}" was changed while it was exported, ${ATTEMPTS} times; try again when it is at rest`,
  );
}

async function pullOnce(client: Client, { bundle_name, version }: z.output<typeof GraphBundle>) {
  const types = await client.call(listEntitySchemas, { bundle: bundle_name });
  const entities = [];
  for (const { entity_type } of types) {
    entities.push({ entity_type, items: await pullEntities(client, bundle_name, entity_type) });
  }
  const schemas = types.map(({ entity_type, schema_json, expose_tools, tool_description }) => ({
    entity_type,
    schema: schema_json,
    expose_tools,
    ...(tool_description === undefined ? {} : { tool_description }),
  }));
  return { bundle_name, version, schemas, entities };
}

async function pullEntities(client: Client, bundle: string, entity_type: string) {
  const items: Record<string, unknown>[] = [];
  for (;;) {
    const page = { limit: LIMITS.graph_page.max, offset: items.length };
    const answer = await client.call(listEntities, { bundle, entity_type, ...page });
    items.push(...answer.items.map(({ data }) => data));
    if (answer.items.length === 0 || items.length >= answer.total) return items;
  }
}
