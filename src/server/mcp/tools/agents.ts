import { z } from "zod";
import { AgentCreate } from "#engine/agents/agent.ts";
import {
  createAgent,
  deleteAgent,
  getAgent,
  listAgents,
  patchAgent,
} from "#engine/agents/operations.ts";
import { addAgentTool, removeAgentTool } from "#engine/agents/tool-operations.ts";
import { changeCapabilityById, deleteCapabilityById } from "#engine/capabilities/by-id.ts";
import { CapabilityUpdate } from "#engine/capabilities/capability.ts";
import { createCapability } from "#engine/capabilities/operations.ts";
import { provisionAgent } from "#engine/provisioning/provision-agent.ts";
import { listTool, type McpTool, parseConfig, renamed, tool } from "../tool.ts";

const AgentName = z.string().min(1).describe("The agent's name or id");
const { system_prompt, model, lifecycle, tool_execution, max_steps, tools } = AgentCreate.shape;

const Fields = z.object({
  system_prompt: system_prompt.describe("What the agent is told before every conversation"),
  model: model.describe("A configured model's name; the default chat model when absent"),
  lifecycle: lifecycle.describe("persistent keeps its context; spawn begins anew each time"),
  tool_execution: tool_execution.describe("Whether tools of one step run one by one or together"),
  max_steps: max_steps.describe("How many times it may call its model in one turn"),
  builtin_tools: tools.describe("Replaces the agent's tools; names as in GET /tools/metadata"),
});
const Key = z.object({ name: AgentName });
const OneTool = z.object({
  agent_name: AgentName,
  tool_name: z.string().min(1).describe("A built-in tool, such as memory_recall"),
});
const toAgent = renamed({ builtin_tools: "tools" });
const toOneTool = renamed({ agent_name: "name", tool_name: "tool" });

const ConfigJson = z.string().describe('The configuration as JSON text, such as {"top_k": 5}');

export const agentTools: readonly McpTool[] = [
  listTool(
    "admin_list_agents",
    listAgents,
    "agents",
    ({ name, id, model: used, tools_count }) =>
      `${name} (${id}): model ${used ?? "none"}, ${tools_count} tools`,
  ),
  tool("admin_get_agent", getAgent, Key),
  tool(
    "admin_create_agent",
    createAgent,
    Fields.extend({
      name: AgentCreate.shape.name.describe(
        "Lower-case letters, digits and hyphens; never changes",
      ),
      system_prompt: Fields.shape.system_prompt.unwrap().min(1),
    }),
    { toInput: toAgent },
  ),
  tool("admin_update_agent", patchAgent, Fields.extend(Key.shape), {
    description: "Change an agent: what is left out stays; builtin_tools replaces its tools",
    toInput: toAgent,
  }),
  tool("admin_delete_agent", deleteAgent, Key),
  tool("admin_add_builtin_tool_to_agent", addAgentTool, OneTool, { toInput: toOneTool }),
  tool("admin_remove_builtin_tool_from_agent", removeAgentTool, OneTool, { toInput: toOneTool }),
  tool(
    "admin_add_capability",
    createCapability,
    z.object({
      agent_name: AgentName,
      capability_type: z.string().min(1).describe("memory, knowledge or knowledge_graphs"),
      config_json: ConfigJson.optional(),
    }),
    {
      toInput: ({ agent_name, capability_type, config_json }) => ({
        name: agent_name,
        type: capability_type,
        config: parseConfig(config_json),
      }),
    },
  ),
  tool(
    "admin_update_capability",
    changeCapabilityById,
    z.object({
      capability_id: CapabilityUpdate.shape.capId,
      config_json: ConfigJson.optional(),
      enabled: CapabilityUpdate.shape.enabled,
    }),
    {
      toInput: ({ capability_id, config_json, enabled }) => ({
        capId: capability_id,
        config: parseConfig(config_json),
        enabled,
      }),
    },
  ),
  tool(
    "admin_remove_capability",
    deleteCapabilityById,
    z.object({ capability_id: CapabilityUpdate.shape.capId }),
    { toInput: renamed({ capability_id: "capId" }) },
  ),
  tool("provision_agent", provisionAgent, provisionAgent.input as z.ZodObject, {
    description:
      "Create an agent and a schema that chats with it, in one step: the usual way to begin",
  }),
];
