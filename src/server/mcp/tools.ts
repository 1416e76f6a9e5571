import type { McpTool } from "./tool.ts";
import { agentTools } from "./tools/agents.ts";
import { knowledgeTools } from "./tools/knowledge.ts";
import { knowledgeGraphTools } from "./tools/knowledge-graphs.ts";
import { mcpServerTools } from "./tools/mcp-servers.ts";
import { modelTools } from "./tools/models.ts";
import { schemaTools } from "./tools/schemas.ts";
import { sessionTools } from "./tools/sessions.ts";

/** Every provisioning tool (contract 4.14), always in this order: a table of contents. */
export const MCP_TOOLS: readonly McpTool[] = [
  ...agentTools,
  ...schemaTools,
  ...knowledgeTools,
  ...knowledgeGraphTools,
  ...mcpServerTools,
  ...modelTools,
  ...sessionTools,
];
