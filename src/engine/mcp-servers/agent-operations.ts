import { z } from "zod";
import { requireAgent } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { defineOperation } from "../operation.ts";
import { requireServer } from "./server.ts";

const Link = z.object({
  agent_name: z.string().min(1).describe("The agent's name or id"),
  server_name: z.string().min(1).describe("The MCP server's name or id"),
});
const AgentServers = z.object({ agent_name: z.string(), mcp_servers: z.array(z.string()) });

export const attachServer = defineOperation({
  name: "mcp_servers.attach",
  summary: "Give an agent the tools of an MCP server",
  scope: "agents:write",
  effect: "write",
  input: Link,
  output: AgentServers,
  run: (ctx, link) => change(ctx, link, (ids, id) => (ids.includes(id) ? ids : [...ids, id])),
});

export const detachServer = defineOperation({
  name: "mcp_servers.detach",
  summary: "Take the tools of an MCP server from an agent",
  scope: "agents:write",
  effect: "write",
  input: Link,
  output: AgentServers,
  run: (ctx, link) => change(ctx, link, (ids, id) => ids.filter((each) => each !== id)),
});

function change(
  ctx: Context,
  { agent_name, server_name }: z.output<typeof Link>,
  changed: (ids: string[], id: string) => string[],
): Promise<z.input<typeof AgentServers>> {
  return ctx.write(async ({ agents, mcp_servers }) => {
    const agent = await requireAgent({ agents }, agent_name);
    const server = await requireServer({ mcp_servers }, server_name);
    const linked = await mcp_servers.listByAgent(agent.id);
    const ids = changed(
      linked.map(({ id }) => id),
      server.id,
    );
    await mcp_servers.unlinkAgent(agent.id);
    for (const id of ids) await mcp_servers.link(id, agent.id);
    const servers = await mcp_servers.listByAgent(agent.id);
    return { agent_name: agent.name, mcp_servers: servers.map(({ name }) => name) };
  });
}
