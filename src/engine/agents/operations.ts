import { z } from "zod";
import type { Context } from "../context.ts";
import { badRequest, conflict, forbidden, notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { eachInTurn } from "../kernel/give-way.ts";
import { LIMITS } from "../kernel/limits.ts";
import { findByIdOrName } from "../kernel/reference.ts";
import { findModel, type ModelReference } from "../models/model.ts";
import { defineOperation } from "../operation.ts";
import type { Reads, Writes } from "../store.ts";
import {
  Agent,
  AgentCreate,
  AgentKey,
  AgentListItem,
  AgentPatch,
  type AgentRecord,
  AgentReplace,
  modelReferenceOf,
  refuseAdministrativeTools,
  requireAgent,
  withDefaults,
  writableFields,
} from "./agent.ts";
import { unknownTools } from "./unknown-tools.ts";

export const listAgents = defineOperation({
  name: "agents.list",
  summary: "List agents",
  scope: "agents:read",
  effect: "read",
  input: z.object({}),
  output: z.array(AgentListItem),
  run: async ({ read }) => {
    const agents = await read.agents.list();
    return eachInTurn(agents, (agent) => toAgent(read, agent));
  },
});

export const getAgent = defineOperation({
  name: "agents.get",
  summary: "Read an agent, by name or id",
  scope: "agents:read",
  effect: "read",
  input: AgentKey,
  output: Agent,
  run: async (ctx, { name }) => toDetail(ctx, ctx.read, await requireAgent(ctx.read, name)),
});

export const createAgent = defineOperation({
  name: "agents.create",
  summary: "Create an agent",
  scope: "agents:write",
  effect: "write",
  input: AgentCreate,
  output: Agent,
  run: (ctx, input) => {
    refuseAdministrativeTools(input.tools);
    return ctx.write(async (tx) => {
      if (await tx.agents.getByName(input.name)) {
        throw conflict(`agent "${input.name}" already exists`);
      }
      const now = ctx.now().toISOString();
      const agent: AgentRecord = {
        ...withDefaults(writableFields(input)),
        id: ctx.newId(),
        name: input.name,
        model_id: await resolveModel(tx, modelReferenceOf(input)),
        is_system: false,
        created_at: now,
        updated_at: now,
      };
      await tx.agents.insert(agent);
      await linkBases(tx, agent, input.knowledge_base_ids);
      await linkServers(tx, agent, input.mcp_servers);
      return toDetail(ctx, tx, agent);
    });
  },
});

export const replaceAgent = defineOperation({
  name: "agents.replace",
  summary: "Replace an agent's writable fields",
  scope: "agents:write",
  effect: "write",
  input: AgentReplace,
  output: Agent,
  run: (ctx, input) => {
    if (!input.system && !input.system_prompt) throw badRequest("system: is required");
    return ctx.write(async (tx) => {
      const agent = await requireWritable(tx, input);
      const { name, rename, ...fields } = input;
      const tools = agent.is_system && !input.tools ? { tools: agent.tools } : {};
      const changed = {
        ...withDefaults(writableFields(fields)),
        ...tools,
        model_id: await resolveModel(tx, modelReferenceOf(input)),
        updated_at: ctx.now().toISOString(),
      };
      await tx.agents.update(agent.id, changed);
      await linkBases(tx, agent, input.knowledge_base_ids);
      await linkServers(tx, agent, input.mcp_servers ?? []);
      return toDetail(ctx, tx, { ...agent, ...changed });
    });
  },
});

export const patchAgent = defineOperation({
  name: "agents.patch",
  summary: "Change the supplied fields of an agent",
  scope: "agents:write",
  effect: "write",
  input: AgentPatch,
  output: Agent,
  run: (ctx, input) =>
    ctx.write(async (tx) => {
      const agent = await requireWritable(tx, input);
      const { name, rename, ...fields } = input;
      const reference = modelReferenceOf(input);
      const changed = {
        ...writableFields(fields),
        ...(fields.max_steps === 0 ? { max_steps: LIMITS.max_steps.default } : {}),
        ...(reference === undefined ? {} : { model_id: await patchModel(tx, input) }),
        updated_at: ctx.now().toISOString(),
      };
      await tx.agents.update(agent.id, changed);
      await linkBases(tx, agent, input.knowledge_base_ids);
      await linkServers(tx, agent, input.mcp_servers);
      return toDetail(ctx, tx, { ...agent, ...changed });
    }),
});

export const deleteAgent = defineOperation({
  name: "agents.delete",
  summary: "Delete an agent; schemas lose it as their entry agent",
  scope: "agents:write",
  effect: "destroy",
  input: AgentKey,
  output: Nothing,
  run: (ctx, { name }) =>
    ctx.write(async (tx) => {
      const agent = await requireAgent(tx, name);
      if (agent.is_system) throw forbidden(`agent "${agent.name}" belongs to the system`);
      await tx.schemas.clearEntryAgent(agent.id);
      await tx.agents.delete(agent.id);
      return undefined;
    }),
});

type Replace = z.output<typeof AgentReplace>;

/** An agent's name is its handle in schemas, relations and exports: it never changes. */
async function requireWritable(store: Pick<Reads, "agents">, input: Replace): Promise<AgentRecord> {
  refuseAdministrativeTools(input.tools);
  const agent = await requireAgent(store, input.name);
  if (input.rename && input.rename !== agent.name) {
    throw conflict(`an agent's name is immutable: "${agent.name}" cannot become "${input.rename}"`);
  }
  return agent;
}

/** By id, by name, or the default chat model; throws `bad_request` naming what is wrong. */
async function resolveModel(
  { models }: Pick<Reads, "models">,
  reference: ModelReference | undefined,
): Promise<number> {
  const model = reference ? await findModel(models, reference) : await models.getDefault();
  if (!model && reference) throw badRequest(`model: there is no model "${reference}"`);
  if (!model) {
    throw badRequest(
      "model: is required, as there is no default chat model; add one with POST /models",
    );
  }
  if (model.kind !== "chat") throw badRequest(`model: "${model.name}" is an embedding model`);
  return model.id;
}

/** In a PATCH an unknown `model_id` is not found, while an unknown `model` is bad (contract 4.2). */
async function patchModel(store: Pick<Reads, "models">, input: Replace): Promise<number> {
  const { model_id } = input;
  if (model_id !== undefined && !(await findModel(store.models, model_id))) {
    throw notFound("model", model_id);
  }
  return resolveModel(store, modelReferenceOf(input));
}

/** Replaces what the agent may search, unless the request says nothing of it. Throws `not_found`. */
async function linkBases(
  tx: Writes,
  agent: AgentRecord,
  references: readonly string[] | undefined,
): Promise<void> {
  if (references === undefined) return;
  await tx.knowledge_bases.unlinkAgent(agent.id);
  for (const reference of references) {
    const base = await findByIdOrName(tx.knowledge_bases, reference);
    if (!base) throw notFound("knowledge base", reference);
    await tx.knowledge_bases.link(base.id, agent.id);
  }
}

/** Replaces which servers' tools the agent has, unless the request says nothing of it. Throws `bad_request`. */
async function linkServers(
  tx: Writes,
  agent: AgentRecord,
  references: readonly string[] | undefined,
): Promise<void> {
  if (references === undefined) return;
  await tx.mcp_servers.unlinkAgent(agent.id);
  for (const reference of references) {
    const server = await findByIdOrName(tx.mcp_servers, reference);
    if (!server) throw badRequest(`mcp_servers: there is no MCP server "${reference}"`);
    await tx.mcp_servers.link(server.id, agent.id);
  }
}

/** With what a list of agents leaves out. Takes either face of the store. */
async function toDetail(
  { services }: Pick<Context, "services">,
  read: Reads,
  agent: AgentRecord,
): Promise<z.input<typeof Agent>> {
  const serversOf = () => read.mcp_servers.listByAgent(agent.id);
  const unknown = await unknownTools({ services, read }, agent, serversOf);
  const names = new Set(unknown.map(({ name }) => name));
  return { ...(await toAgent(read, agent)), unknown_tools: presentList([...names]) };
}

async function toAgent(
  read: Pick<
    Reads,
    | "models"
    | "schemas"
    | "relations"
    | "agents"
    | "capabilities"
    | "knowledge_bases"
    | "mcp_servers"
  >,
  agent: AgentRecord,
): Promise<z.input<typeof Agent>> {
  const [model, schemas, relations, capabilities, bases, servers] = await Promise.all([
    agent.model_id === undefined ? undefined : read.models.get(agent.model_id),
    read.schemas.listNamesByAgent(agent.id),
    read.relations.listByAgent(agent.id),
    read.capabilities.listByAgent(agent.id),
    read.knowledge_bases.listByAgent(agent.id),
    read.mcp_servers.listByAgent(agent.id),
  ]);
  const targets = new Set(
    relations.flatMap(({ source_id, target_id }) => (source_id === agent.id ? target_id : [])),
  );
  const spawnable = await Promise.all([...targets].map((id) => read.agents.get(id)));
  const { is_system, confirm_before, stop_sequences, ...fields } = agent;
  return {
    ...fields,
    system_prompt: agent.system,
    model: model?.name,
    tools_count: agent.tools.length,
    has_knowledge:
      bases.length > 0 || capabilities.some(({ type, enabled }) => enabled && type === "knowledge"),
    knowledge_base_ids: presentList(bases.map(({ id }) => id)),
    mcp_servers: presentList(servers.map(({ name }) => name)),
    can_spawn: presentList(spawnable.flatMap((target) => target?.name ?? [])),
    confirm_before: presentList(confirm_before),
    stop_sequences: presentList(stop_sequences),
    is_system: is_system || undefined,
    used_in_schemas: presentList(schemas),
  };
}

const presentList = (list: readonly string[]) => (list.length === 0 ? undefined : [...list]);
