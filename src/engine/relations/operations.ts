import { z } from "zod";
import type { AgentRecord } from "../agents/agent.ts";
import { badRequest, conflict, notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { findByIdOrName } from "../kernel/reference.ts";
import { defineOperation } from "../operation.ts";
import { requireSchema, type SchemaRecord } from "../schemas/schema.ts";
import type { Reads } from "../store.ts";
import {
  closesCycle,
  Relation,
  RelationCreate,
  RelationKey,
  type RelationRecord,
  RelationReplace,
  RelationsKey,
} from "./relation.ts";

export const listRelations = defineOperation({
  name: "relations.list",
  summary: "List a schema's relations",
  scope: "schemas:read",
  effect: "read",
  input: RelationsKey,
  output: z.array(Relation),
  run: async ({ read }, { name }) => {
    const { id } = await requireSchema(read, name);
    const relations = await read.relations.listBySchema(id);
    return Promise.all(relations.map((relation) => toRelation(read, relation)));
  },
});

export const getRelation = defineOperation({
  name: "relations.get",
  summary: "Read a relation",
  scope: "schemas:read",
  effect: "read",
  input: RelationKey,
  output: Relation,
  run: async ({ read }, { name, relationId }) => {
    const schema = await requireSchema(read, name);
    return toRelation(read, await requireRelation(read, schema, relationId));
  },
});

export const createRelation = defineOperation({
  name: "relations.create",
  summary: "Let one agent of a schema delegate to another",
  scope: "schemas:write",
  effect: "write",
  input: RelationCreate,
  output: Relation,
  run: (ctx, { name, config, ...ends }) =>
    ctx.write(async (tx) => {
      const schema = await requireSchema(tx, name);
      const pair = await requirePair(tx, ends);
      await requireFit(tx, schema, pair);
      const relation: RelationRecord = {
        id: ctx.newId(),
        schema_id: schema.id,
        ...pair,
        config,
        created_at: ctx.now().toISOString(),
      };
      await tx.relations.insert(relation);
      // A schema that has nobody to receive its messages gets the first agent that delegates.
      if (!schema.entry_agent_id) {
        await tx.schemas.update(schema.id, { entry_agent_id: pair.source_id });
      }
      return toRelation(tx, relation);
    }),
});

export const replaceRelation = defineOperation({
  name: "relations.replace",
  summary: "Replace a relation",
  scope: "schemas:write",
  effect: "write",
  input: RelationReplace,
  output: Nothing,
  run: (ctx, { name, relationId, config, ...ends }) =>
    ctx.write(async (tx) => {
      const schema = await requireSchema(tx, name);
      const relation = await requireRelation(tx, schema, relationId);
      const pair = await requirePair(tx, ends);
      await requireFit(tx, schema, pair, relation.id);
      await tx.relations.update(relation.id, { ...pair, config });
      return undefined;
    }),
});

export const deleteRelation = defineOperation({
  name: "relations.delete",
  summary: "Delete a relation",
  scope: "schemas:write",
  effect: "destroy",
  input: RelationKey,
  output: Nothing,
  run: (ctx, { name, relationId }) =>
    ctx.write(async (tx) => {
      const schema = await requireSchema(tx, name);
      const relation = await requireRelation(tx, schema, relationId);
      await tx.relations.delete(relation.id);
      return undefined;
    }),
});

type Pair = Pick<RelationRecord, "source_id" | "target_id">;

async function requirePair(
  store: Pick<Reads, "agents">,
  { source, target }: { source: string; target: string },
): Promise<Pair> {
  const from = await requireEnd(store, "source", source);
  const to = await requireEnd(store, "target", target);
  if (from.id === to.id) throw badRequest(`target: "${to.name}" cannot delegate to itself`);
  return { source_id: from.id, target_id: to.id };
}

async function requireEnd(
  { agents }: Pick<Reads, "agents">,
  field: string,
  reference: string,
): Promise<AgentRecord> {
  const agent = await findByIdOrName(agents, reference);
  if (!agent) throw badRequest(`${field}: there is no agent "${reference}"`);
  return agent;
}

/** Neither twice nor in a circle; `replaced` is the relation that makes room. */
async function requireFit(
  { relations }: Pick<Reads, "relations">,
  schema: SchemaRecord,
  pair: Pair,
  replaced?: string,
): Promise<void> {
  const others = (await relations.listBySchema(schema.id)).filter(({ id }) => id !== replaced);
  const same = ({ source_id, target_id }: Pair) =>
    source_id === pair.source_id && target_id === pair.target_id;
  if (others.some(same)) throw conflict("this relation already exists in the schema");
  if (closesCycle(others, pair)) {
    throw badRequest("target: this relation would close a cycle of delegation");
  }
}

async function requireRelation(
  { relations }: Pick<Reads, "relations">,
  schema: SchemaRecord,
  id: string,
): Promise<RelationRecord> {
  const relation = await relations.get(id);
  if (relation?.schema_id !== schema.id) throw notFound("relation", id);
  return relation;
}

async function toRelation(
  { agents }: Pick<Reads, "agents">,
  relation: RelationRecord,
): Promise<z.input<typeof Relation>> {
  const [source, target] = await Promise.all([
    agents.get(relation.source_id),
    agents.get(relation.target_id),
  ]);
  return { ...relation, source: source?.name ?? "", target: target?.name ?? "" };
}
