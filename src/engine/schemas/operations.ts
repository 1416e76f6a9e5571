import { z } from "zod";
import { badRequest, conflict, forbidden } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { eachInTurn } from "../kernel/give-way.ts";
import { findByIdOrName } from "../kernel/reference.ts";
import { defineOperation } from "../operation.ts";
import type { Reads } from "../store.ts";
import {
  requireSchema,
  Schema,
  SchemaCreate,
  SchemaKey,
  SchemaPatch,
  type SchemaRecord,
  SchemaReplace,
} from "./schema.ts";

export const listSchemas = defineOperation({
  name: "schemas.list",
  summary: "List schemas",
  scope: "schemas:read",
  effect: "read",
  input: z.object({}),
  output: z.array(Schema),
  run: async ({ read }) => {
    const schemas = await read.schemas.list();
    return eachInTurn(schemas, (schema) => toSchema(read, schema));
  },
});

export const getSchema = defineOperation({
  name: "schemas.get",
  summary: "Read a schema",
  scope: "schemas:read",
  effect: "read",
  input: SchemaKey,
  output: Schema,
  run: async ({ read }, { name }) => toSchema(read, await requireSchema(read, name)),
});

export const createSchema = defineOperation({
  name: "schemas.create",
  summary: "Create a schema",
  scope: "schemas:write",
  effect: "write",
  input: SchemaCreate,
  output: Schema,
  run: (ctx, { name, description, entry_agent_id, chat_enabled = false }) =>
    ctx.write(async (tx) => {
      if (await tx.schemas.getByName(name)) throw conflict(`schema "${name}" already exists`);
      const schema: SchemaRecord = {
        id: ctx.newId(),
        name,
        description,
        entry_agent_id: await resolveAgent(tx, entry_agent_id),
        chat_enabled,
        is_system: false,
        created_at: ctx.now().toISOString(),
      };
      await tx.schemas.insert(schema);
      return toSchema(tx, schema);
    }),
});

const change = (name: string, summary: string, input: typeof SchemaReplace | typeof SchemaPatch) =>
  defineOperation({
    name,
    summary,
    scope: "schemas:write",
    effect: "write",
    input,
    output: Nothing,
    run: (ctx, { name: key, rename, entry_agent_id, ...fields }: z.output<typeof SchemaPatch>) =>
      ctx.write(async (tx) => {
        const schema = await requireSchema(tx, key);
        if (rename !== undefined && rename !== schema.name) {
          throw conflict(
            `a schema's name is immutable: "${schema.name}" cannot become "${rename}"`,
          );
        }
        const entry =
          entry_agent_id === undefined
            ? {}
            : { entry_agent_id: await resolveEntry(tx, schema, entry_agent_id) };
        await tx.schemas.update(schema.id, { ...fields, ...entry });
        return undefined;
      }),
  });

/** Also a replacement keeps what it does not name, as in the contract (4.6). */
export const replaceSchema = change("schemas.replace", "Replace a schema", SchemaReplace);

export const patchSchema = change(
  "schemas.patch",
  "Change the supplied fields of a schema",
  SchemaPatch,
);

export const deleteSchema = defineOperation({
  name: "schemas.delete",
  summary: "Delete a schema that has no sessions",
  scope: "schemas:write",
  effect: "destroy",
  input: SchemaKey,
  output: Nothing,
  run: (ctx, { name }) =>
    ctx.write(async (tx) => {
      const schema = await requireSchema(tx, name);
      if (schema.is_system) throw forbidden(`schema "${name}" belongs to the system`);
      await requireNoSessions(tx, schema);
      await tx.schemas.delete(schema.id);
      return undefined;
    }),
});

/** Throws `conflict` that says how many there are. */
export async function requireNoSessions(
  { sessions }: Pick<Reads, "sessions">,
  { id, name }: SchemaRecord,
): Promise<void> {
  const count = await sessions.countBySchema(id);
  if (count > 0) throw conflict(`schema "${name}" still has ${count} sessions: delete them first`);
}

export const listSchemaAgents = defineOperation({
  name: "schemas.list_agents",
  summary: "List the names of a schema's agents",
  scope: "schemas:read",
  effect: "read",
  input: SchemaKey,
  output: z.array(z.string()),
  run: async ({ read }, { name }) => (await toSchema(read, await requireSchema(read, name))).agents,
});

/** By id or name; an empty text clears the entry agent. */
async function resolveAgent(
  { agents }: Pick<Reads, "agents">,
  reference: string | undefined,
): Promise<string | undefined> {
  if (!reference) return undefined;
  const agent = await findByIdOrName(agents, reference);
  if (!agent) throw badRequest(`entry_agent_id: there is no agent "${reference}"`);
  return agent.id;
}

/** Once a schema has relations, only one of its members can receive its messages (contract 4.6). */
async function resolveEntry(
  tx: Pick<Reads, "agents" | "relations">,
  schema: SchemaRecord,
  reference: string,
): Promise<string | undefined> {
  const id = await resolveAgent(tx, reference);
  const relations = await tx.relations.listBySchema(schema.id);
  const isEnd = relations.some(({ source_id, target_id }) => source_id === id || target_id === id);
  if (id === undefined || relations.length === 0 || isEnd || id === schema.entry_agent_id)
    return id;
  throw badRequest(`entry_agent_id: "${reference}" is not a member of schema "${schema.name}"`);
}

/** Members are derived: the entry agent and every end of a relation (specification 4 Schemas). */
async function toSchema(
  { agents, relations }: Pick<Reads, "agents" | "relations">,
  schema: SchemaRecord,
): Promise<z.input<typeof Schema>> {
  const pairs = await relations.listBySchema(schema.id);
  const ids = pairs.flatMap(({ source_id, target_id }) => [source_id, target_id]);
  if (schema.entry_agent_id) ids.unshift(schema.entry_agent_id);
  const members = await Promise.all([...new Set(ids)].map((id) => agents.get(id)));
  const names = members.flatMap((agent) => agent?.name ?? []);
  const entry = members.find((agent) => agent?.id === schema.entry_agent_id);
  return {
    ...schema,
    agents: names,
    agents_count: names.length,
    entry_agent_name: entry?.name,
    is_system: schema.is_system || undefined,
  };
}
