import { z } from "zod";
import { deleteRelationById } from "#engine/relations/by-id.ts";
import { createRelation, listRelations } from "#engine/relations/operations.ts";
import { RelationCreate } from "#engine/relations/relation.ts";
import {
  createSchema,
  deleteSchema,
  getSchema,
  listSchemas,
  patchSchema,
} from "#engine/schemas/operations.ts";
import { SchemaCreate, SchemaPatch } from "#engine/schemas/schema.ts";
import { createSnippet } from "#engine/widget/snippet.ts";
import {
  listTool,
  type McpTool,
  SchemaReference,
  schemaName,
  type ToolContext,
  tool,
} from "../tool.ts";

const Key = z.object({ schema_id: SchemaReference });
const { description, entry_agent_id, chat_enabled } = SchemaPatch.shape;

/** The operation's field is `name`. */
const named = async (
  { schema_id, ...rest }: Record<string, unknown>,
  context: ToolContext,
): Promise<Record<string, unknown>> => ({ ...rest, name: await schemaName(schema_id, context) });

export const schemaTools: readonly McpTool[] = [
  listTool(
    "admin_list_schemas",
    listSchemas,
    "schemas",
    ({ name, id, agents, chat_enabled: has_chat }) =>
      `${name} (${id}): ${agents.length} agents, chat ${has_chat ? "on" : "off"}`,
  ),
  tool("admin_get_schema", getSchema, Key, { toInput: named }),
  tool(
    "admin_create_schema",
    createSchema,
    z.object({ name: SchemaCreate.shape.name, description }),
  ),
  tool(
    "admin_update_schema",
    patchSchema,
    Key.extend({
      name: z.string().optional().describe("Must be its present name: names never change"),
      description,
      entry_agent_id: entry_agent_id.describe(
        "Id or name of the agent that receives messages; an empty text clears it",
      ),
      chat_enabled,
    }),
    {
      toInput: async ({ name, ...given }, context) => ({
        ...(await named(given, context)),
        ...(name === undefined ? {} : { rename: name }),
      }),
    },
  ),
  tool("admin_delete_schema", deleteSchema, Key, { toInput: named }),
  listTool(
    "admin_list_agent_relations",
    listRelations,
    "relations",
    ({ id, source, target }) => `${source} may delegate to ${target} (${id})`,
    { input: Key, toInput: named },
  ),
  tool(
    "admin_create_agent_relation",
    createRelation,
    Key.extend({
      from_agent: RelationCreate.shape.source.describe("Name or id of the agent that delegates"),
      to_agent: RelationCreate.shape.target.describe("Name or id of the agent that is called"),
      label: z.string().max(200).optional().describe("A note on what the relation is for"),
    }),
    {
      toInput: async ({ from_agent, to_agent, label, ...given }, context) => ({
        ...(await named(given, context)),
        source: from_agent,
        target: to_agent,
        ...(label === undefined ? {} : { config: { label } }),
      }),
    },
  ),
  tool(
    "admin_delete_agent_relation",
    deleteRelationById,
    z.object({ relation_id: z.string().min(1) }),
    { toInput: ({ relation_id }) => ({ relationId: relation_id }) },
  ),
  tool(
    "get_embed_snippet",
    createSnippet,
    z.object({
      schema_name: z.string().min(1),
      endpoint: z
        .string()
        .optional()
        .describe("Where web pages reach this server, when that is not its public address"),
    }),
    {
      toInput: ({ schema_name, endpoint }, { base_url }) => ({
        schema_name,
        endpoint: endpoint ?? base_url,
      }),
      toText: ({ snippet, note }) => `${snippet}\n\n${note}`,
    },
  ),
];
