import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { z } from "zod";
import type { AgentRecord } from "../agents/agent.ts";
import type { Fact } from "../events/event.ts";
import { errorResult, type Tool, type ToolContext, type ToolResult } from "../tools/tool.ts";
import type { PendingCall } from "./run.ts";

/** A tool call that takes longer is abandoned, and the model is told so. */
const TOOL_TIMEOUT_MS = 60_000;

/** A longer result would crowd everything else out of the model's context. */
const RESULT_LENGTH_MAX = 100_000;

/** The tools an agent may use now: those it lists that exist. */
export const toolsOf = (agent: AgentRecord, tools: ReadonlyMap<string, Tool>): Tool[] =>
  [...new Set(agent.tools)].flatMap((name) => tools.get(name) ?? []);

const functionTools = new WeakMap<Tool, LanguageModelV4FunctionTool>();

/** A tool as providers are told of it; made once per tool. */
export function toFunctionTool(tool: Tool): LanguageModelV4FunctionTool {
  const known = functionTools.get(tool);
  if (known) return known;
  const { $schema, ...inputSchema } = z.toJSONSchema(tool.input, { io: "input" });
  const made = {
    type: "function" as const,
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchema as LanguageModelV4FunctionTool["inputSchema"],
  };
  functionTools.set(tool, made);
  return made;
}

/** Runs one call to its recorded result; whatever goes wrong becomes a result the model reads. */
export async function performCall(
  agent: AgentRecord,
  tools: readonly Tool[],
  call: PendingCall,
  ctx: ToolContext,
): Promise<Fact> {
  const started = performance.now();
  const result = await attempt(agent, tools, call, ctx);
  return toolResult(call, truncate(result), Math.round(performance.now() - started));
}

export const toolResult = (call: PendingCall, result: ToolResult, duration_ms: number): Fact => ({
  type: "tool_result",
  call_id: call.call_id,
  payload: { tool: call.tool, ...result, duration_ms },
});

async function attempt(
  agent: AgentRecord,
  tools: readonly Tool[],
  call: PendingCall,
  ctx: ToolContext,
): Promise<ToolResult> {
  const tool = tools.find(({ name }) => name === call.tool);
  if (!tool) return errorResult(unknownTool(call.tool, tools));
  if (agent.confirm_before.includes(tool.name)) return errorResult(unconfirmed(tool.name));
  const input = tool.input.safeParse(parseInput(call.input));
  if (!input.success) return errorResult(`invalid arguments: ${z.prettifyError(input.error)}`);
  const timeout = AbortSignal.timeout(TOOL_TIMEOUT_MS);
  try {
    const signal = AbortSignal.any([ctx.signal, timeout]);
    return await Promise.race([
      tool.execute(input.data, { ...ctx, signal }),
      rejectOnAbort(signal),
    ]);
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    if (timeout.aborted)
      return errorResult(`tool_timeout: ${tool.name} exceeded ${TOOL_TIMEOUT_MS}ms`);
    return errorResult(error instanceof Error ? error.message : String(error));
  }
}

/** A tool that does not listen to its signal must not hold the turn. */
const rejectOnAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

const unknownTool = (name: string, tools: readonly Tool[]) =>
  `there is no tool "${name}"; available: ${tools.map((tool) => tool.name).join(", ") || "none"}`;

const unconfirmed = (name: string) =>
  `"${name}" may only run after a person approved it, and approvals cannot be asked for yet`;

function parseInput(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function truncate(result: ToolResult): ToolResult {
  if (result.content.length <= RESULT_LENGTH_MAX) return result;
  const cut = result.content.length - RESULT_LENGTH_MAX;
  return {
    ...result,
    content: `${result.content.slice(0, RESULT_LENGTH_MAX)}\n[… ${cut} characters cut]`,
  };
}
