import { z } from "zod";
import { AgentCreate } from "../agents/agent.ts";
import { createAgent } from "../agents/operations.ts";
import { together } from "../context.ts";
import { Name, Uuid } from "../kernel/fields.ts";
import { defineOperation } from "../operation.ts";
import { createSchema } from "../schemas/operations.ts";

/** An agent that can be chatted with, in one step or not at all. */
export const provisionAgent = defineOperation({
  name: "provisioning.provision_agent",
  summary: "Create an agent and a schema that chats with it",
  scope: "agents:write",
  effect: "write",
  input: z.object({
    name: AgentCreate.shape.name,
    system_prompt: z.string().min(1).pipe(AgentCreate.shape.system_prompt.unwrap()),
    model_name: AgentCreate.shape.model,
    tools: AgentCreate.shape.tools,
    /** The agent's name unless it says otherwise. */
    schema_name: Name.optional(),
  }),
  output: z.object({
    schema_name: z.string(),
    schema_id: Uuid,
    agent_name: z.string(),
    agent_id: Uuid,
    next_steps: z.array(z.string()),
  }),
  run: (ctx, { name, system_prompt, model_name, tools, schema_name = name }) =>
    together(ctx, async (within) => {
      const agent = await createAgent.run(within, {
        name,
        system_prompt,
        model: model_name,
        tools,
      });
      const schema = await createSchema.run(within, {
        name: schema_name,
        entry_agent_id: agent.id,
        chat_enabled: true,
      });
      return {
        schema_name: schema.name,
        schema_id: schema.id,
        agent_name: agent.name,
        agent_id: agent.id,
        next_steps: nextSteps(schema.name, agent.name),
      };
    }),
});

const nextSteps = (schema: string, agent: string): string[] => [
  `Give the agent documents: admin_create_knowledge_base, admin_add_document, then admin_link_knowledge_base with agent_name "${agent}".`,
  `Get a chat token and the script tag for a web page: get_embed_snippet with schema_name "${schema}".`,
  `Ask it a test question: POST /api/v1/schemas/${schema}/chat with {"message": "…", "stream": false} and that token as the bearer.`,
];
