import { z } from "zod";
import type { Context } from "../context.ts";
import { badRequest } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import { defineOperation } from "../operation.ts";
import { AgentKey, refuseAdministrativeTools, requireAgent } from "./agent.ts";

const AgentTool = AgentKey.extend({ tool: z.string().min(1).max(128) });
const AgentTools = z.object({ name: z.string(), tools: z.array(z.string()) });

export const addAgentTool = defineOperation({
  name: "agents.add_tool",
  summary: "Give an agent one more built-in tool; one that it has already stays",
  scope: "agents:write",
  effect: "write",
  input: AgentTool,
  output: AgentTools,
  run: (ctx, { name, tool }) => {
    refuseAdministrativeTools([tool]);
    const known = [...ctx.services.tools.keys()];
    if (!known.includes(tool)) {
      throw badRequest(`tool: there is no built-in tool "${tool}"; there are ${known.join(", ")}`);
    }
    return changeTools(ctx, name, (tools) => (tools.includes(tool) ? tools : [...tools, tool]));
  },
});

export const removeAgentTool = defineOperation({
  name: "agents.remove_tool",
  summary: "Take a tool from an agent",
  scope: "agents:write",
  effect: "write",
  input: AgentTool,
  output: AgentTools,
  run: (ctx, { name, tool }) =>
    changeTools(ctx, name, (tools) => tools.filter((each) => each !== tool)),
});

function changeTools(
  ctx: Context,
  key: string,
  change: (tools: string[]) => string[],
): Promise<z.input<typeof AgentTools>> {
  return ctx.write(async (tx) => {
    const { id, name, tools } = await requireAgent(tx, key);
    const changed = change(tools);
    if (changed.length > LIMITS.agent_tools) {
      throw badRequest(`tool: an agent has at most ${LIMITS.agent_tools} tools`);
    }
    await tx.agents.update(id, { tools: changed, updated_at: ctx.now().toISOString() });
    return { name, tools: changed };
  });
}
