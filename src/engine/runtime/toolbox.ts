import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { z } from "zod";
import type { AgentRecord } from "../agents/agent.ts";
import type { CapabilityRecord, GraphsConfig } from "../capabilities/capability.ts";
import type { Context } from "../context.ts";
import { httpTool } from "../http-tools/tool.ts";
import { graphTools } from "../knowledge-graphs/tools/tools.ts";
import { knowledgeSearch } from "../tools/knowledge-search.ts";
import { memoryTools } from "../tools/memory.ts";
import { SHOW_STRUCTURED_OUTPUT } from "../tools/structured-output.ts";
import { TOOL_TIMEOUT_MS, type Tool } from "../tools/tool.ts";

type Place = Pick<Context, "read" | "services">;

/** The tools of an agent that don't depend on its schema: those it lists and those of its capabilities. */
export async function ownTools(
  ctx: Place,
  agent: AgentRecord,
  capabilities: readonly CapabilityRecord[],
  { is_collected }: { readonly is_collected?: true | undefined },
): Promise<Tool[]> {
  const listed = await Promise.all(agent.tools.map((name) => listedTool(ctx, name)));
  const granted = await Promise.all(capabilities.map((capability) => toolsOf(ctx, capability)));
  // Granted ones come last, as they know how the agent's capability is configured.
  const tools = new Map([...listed, ...granted].flat().map((tool) => [tool.name, tool]));
  // Nobody can be shown a form in an answer that is one JSON document.
  if (is_collected) tools.delete(SHOW_STRUCTURED_OUTPUT);
  return [...tools.values()];
}

/** One of the product, else one that a configuration document declares; else there is none. */
async function listedTool({ read, services }: Place, name: string): Promise<Tool[]> {
  const known = services.tools.get(name);
  if (known) return [known];
  const record = await read.http_tools.getByName(name);
  return record ? [httpTool(record, services)] : [];
}

async function toolsOf(ctx: Place, { type, config, enabled }: CapabilityRecord): Promise<Tool[]> {
  if (!enabled) return [];
  switch (type) {
    case "memory":
      return memoryTools(config);
    case "knowledge":
      return [knowledgeSearch(config, ctx.services)];
    case "knowledge_graphs":
      return graphTools(ctx, (config as GraphsConfig).bundles);
  }
}

type InputSchema = LanguageModelV4FunctionTool["inputSchema"];

const inputSchemas = new WeakMap<z.ZodType, InputSchema>();

/** A tool as providers are told of it; its arguments' shape is worked out once. */
export function toFunctionTool(tool: Tool): LanguageModelV4FunctionTool {
  const { name, description, input, input_schema } = tool;
  const inputSchema = (input_schema as InputSchema | undefined) ?? inputSchemaOf(input);
  return { type: "function", name, description, inputSchema };
}

function inputSchemaOf(input: z.ZodType): InputSchema {
  const known = inputSchemas.get(input);
  if (known) return known;
  const { $schema, ...schema } = z.toJSONSchema(input, { io: "input" });
  const made = schema as InputSchema;
  inputSchemas.set(input, made);
  return made;
}

/** The tool that a call means: by its name, or by another that only one tool has. */
export function findTool(tools: readonly Tool[], called: string): Tool | undefined {
  const named = tools.find(({ name }) => name === called);
  if (named) return named;
  const [known, ...others] = tools.filter((tool) => tool.also_known_as?.includes(called));
  return others.length === 0 ? known : undefined;
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
