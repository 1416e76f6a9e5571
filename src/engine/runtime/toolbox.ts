import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { z } from "zod";
import type { AgentRecord } from "../agents/agent.ts";
import type { CapabilityRecord } from "../capabilities/capability.ts";
import type { Services } from "../services.ts";
import { knowledgeSearch } from "../tools/knowledge-search.ts";
import { memoryTools } from "../tools/memory.ts";
import { SHOW_STRUCTURED_OUTPUT } from "../tools/structured-output.ts";
import { TOOL_TIMEOUT_MS, type Tool } from "../tools/tool.ts";

/** The tools of an agent that don't depend on its schema: those it lists and those of its capabilities. */
export function ownTools(
  agent: AgentRecord,
  capabilities: readonly CapabilityRecord[],
  declared: ReadonlyMap<string, Tool>,
  services: Services,
  { is_collected }: { readonly is_collected?: true | undefined },
): Tool[] {
  const listed = agent.tools.flatMap(
    (name) => services.tools.get(name) ?? declared.get(name) ?? [],
  );
  const granted = capabilities.flatMap((capability) => toolsOf(capability, services));
  // Granted ones come last, as they know how the agent's capability is configured.
  const tools = new Map([...listed, ...granted].map((tool) => [tool.name, tool]));
  // Nobody can be shown a form in an answer that is one JSON document.
  if (is_collected) tools.delete(SHOW_STRUCTURED_OUTPUT);
  return [...tools.values()];
}

function toolsOf({ type, config, enabled }: CapabilityRecord, services: Services): Tool[] {
  if (!enabled) return [];
  switch (type) {
    case "memory":
      return memoryTools(config);
    case "knowledge":
      return [knowledgeSearch(config, services)];
    case "knowledge_graphs":
      return [];
  }
}

const inputSchemas = new WeakMap<z.ZodType, LanguageModelV4FunctionTool["inputSchema"]>();

/** A tool as providers are told of it; its arguments' shape is worked out once. */
export function toFunctionTool({ name, description, input }: Tool): LanguageModelV4FunctionTool {
  return { type: "function", name, description, inputSchema: inputSchemaOf(input) };
}

function inputSchemaOf(input: z.ZodType): LanguageModelV4FunctionTool["inputSchema"] {
  const known = inputSchemas.get(input);
  if (known) return known;
  const { $schema, ...schema } = z.toJSONSchema(input, { io: "input" });
  const made = schema as LanguageModelV4FunctionTool["inputSchema"];
  inputSchemas.set(input, made);
  return made;
}

/** How much of a prompt the tools take, in characters. */
export const charactersOfTools = (tools: readonly Tool[]): number =>
  tools.reduce((sum, tool) => sum + JSON.stringify(toFunctionTool(tool)).length, 0);

/** What a call may take, in milliseconds; 0 for one that has the whole turn. */
export const timeoutOf = ({ timeout_ms = TOOL_TIMEOUT_MS }: Tool): number => timeout_ms;

/** The arguments as the tool wants them, or why they can't be taken. */
export function readArguments(
  tool: Tool,
  text: string,
): { readonly input: unknown } | { readonly problem: string } {
  const parsed = parseJson(text);
  const result = tool.input.safeParse(tool.decode ? tool.decode(parsed) : parsed);
  if (result.success) return { input: result.data };
  return { problem: `invalid arguments: ${z.prettifyError(result.error)}` };
}

function parseJson(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
