import { z } from "zod";
import { AgentCreate, agentDefaults } from "../../agents/agent.ts";
import { createAgent, deleteAgent, patchAgent } from "../../agents/operations.ts";
import { eachInTurn } from "../../kernel/give-way.ts";
import { isAdministrative } from "../../tools/tool-name.ts";
import { perform } from "../perform.ts";
import { errorAt, missingAt, type Problem } from "../problem.ts";
import { type Entry, type Item, type Section, type State, toEntry } from "../section.ts";
import { unknownName } from "../unknown-name.ts";

const { name, system_prompt, model, model_id, system, can_spawn, knowledge_base_ids, ...rest } =
  AgentCreate.shape;

const { system: noPrompt, ...others } = agentDefaults;
const defaults: Entry = { ...others, system_prompt: noPrompt, mcp_servers: [] };

export const agentSection: Section = {
  key: "agents",
  noun: "agent",
  entry: z.object({ name, model_name: z.string().min(1).optional(), system_prompt, ...rest }),
  aliases: { system: "system_prompt", model: "model_name" },
  ignored: {
    can_spawn: "follows from the relations of schemas",
    knowledge: "belongs to knowledge bases, which are no part of a document",
  },
  file_fields: { system_file: "system_prompt" },
  open_fields: ["tools"],
  secret_fields: [],
  async list({ agents, models, mcp_servers }) {
    const servers = (await mcp_servers.list()).length > 0 ? mcp_servers : undefined;
    const names = new Map((await models.list()).map(({ id, name }) => [id, name]));
    const stored = (await agents.list()).map(async (agent) => ({
      ...agent,
      mcp_servers: (await servers?.listByAgent(agent.id))?.map(({ name }) => name),
    }));
    return eachInTurn(await Promise.all(stored), ({ model_id, system, is_system, ...agent }) => ({
      name: agent.name,
      entry: canonical({
        ...agent,
        system_prompt: system,
        model_name: model_id === undefined ? undefined : names.get(model_id),
      }),
      secrets: {},
      is_system,
    }));
  },
  toItem: ({ name, fields }, world) => ({
    name,
    entry: canonical({
      ...fields,
      model_name: fields.model_name ?? defaultModel(world),
      max_steps: fields.max_steps || undefined,
      mcp_servers: fields.mcp_servers && [...new Set(fields.mcp_servers as string[])],
    }),
    secrets: {},
  }),
  check(item, world, { placeOf }) {
    const { model_name, tools = [], mcp_servers = [] } = item.entry;
    const problems: Problem[] = [];
    const chat = [...world.models.values()].filter(({ entry }) => entry.kind === undefined);
    if (model_name === undefined) problems.push(missingAt(placeOf([]), NO_MODEL));
    else if (!chat.some(({ name }) => name === model_name))
      problems.push(
        missingAt(
          placeOf(["model_name"]),
          unknownName("model_name", "chat model", model_name, chat),
        ),
      );
    for (const [at, server] of (mcp_servers as string[]).entries()) {
      if (world.mcp_servers.has(server)) continue;
      const message = unknownName("mcp_servers", "MCP server", server, world.mcp_servers.values());
      problems.push(missingAt(placeOf(["mcp_servers", at]), message));
    }
    for (const [at, tool] of (tools as string[]).entries()) {
      if (!isAdministrative(tool)) continue;
      problems.push(
        errorAt(placeOf(["tools", at]), `tools: ${tool} cannot be granted to an agent`),
      );
    }
    return problems;
  },
  async create(ctx, { name, entry }) {
    const at = ["agents", name] as const;
    await perform(ctx, createAgent, toInput(name, entry), at);
    // Of a new agent, 0 asks for the default; here it means what it means in a change: no limit.
    if (entry.max_context_size !== 0) return;
    await perform(ctx, patchAgent, { name, max_context_size: 0 }, at);
  },
  async update(ctx, { name, entry }) {
    const cleared = { temperature: null, top_p: null, max_tokens: null, mcp_servers: [] };
    const input = { ...cleared, ...withoutUndefined(others), ...toInput(name, entry) };
    await perform(ctx, patchAgent, { system: "", ...input }, ["agents", name]);
  },
  async remove(ctx, name) {
    await perform(ctx, deleteAgent, { name }, ["agents", name]);
  },
};

const NO_MODEL = "model_name: is required, as there is no default chat model";

const canonical = (fields: Entry): Entry => toEntry(agentSection, fields, defaults);

const defaultModel = ({ models }: State): string | undefined =>
  [...models.values()].find(({ entry }) => entry.is_default)?.name;

type Input = z.input<typeof AgentCreate>;

function toInput(name: string, { system_prompt, model_name, ...entry }: Item["entry"]): Input {
  const prompt = system_prompt === undefined ? {} : { system: system_prompt };
  return { ...entry, ...prompt, name, model: model_name } as Input;
}

const withoutUndefined = (fields: Entry): Entry =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
