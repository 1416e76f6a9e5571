import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { recordToolCall } from "#engine/audit/tool-call-entry.ts";
import type { Engine } from "#engine/engine.ts";
import { EngineError, toEngineError } from "#engine/kernel/error.ts";
import { lent, type Principal } from "#engine/kernel/principal.ts";
import { grantsAll } from "#engine/kernel/scope.ts";
import { parseInput } from "#engine/operation.ts";
import type { Logger } from "#engine/services.ts";
import type { Authority, McpTool, ToolContext } from "./tool.ts";

/** Who calls, and with what. */
export interface McpCaller {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly log: Logger;
  readonly request_id: string;
  /** Where callers reach this server; undefined when it can't know. */
  readonly base_url: string | undefined;
  /** Told when a call fails for want of authority. */
  onMissing(authority: Authority): void;
}

type Fields = Record<string, unknown>;

export const holds = ({ scopes_mask }: Principal, authority: Authority): boolean =>
  grantsAll(scopes_mask, authority);

/** The caller may not do this (contract 4.14). */
const INSUFFICIENT_SCOPE = -32_002;

/** A failure that JSON-RPC tells by that number. */
export function insufficientScope(
  { onMissing }: McpCaller,
  what: string,
  authority: Authority,
): Error {
  onMissing(authority);
  const message = `${what} needs the scope ${authority}`;
  return Object.assign(new Error(message), { code: INSUFFICIENT_SCOPE });
}

/**
 * Calls the tool's operation, with exactly the scope that it asks for lent for this one call, and records
 * the call. What goes wrong inside is a result that says so; a missing authority is thrown.
 */
export async function callTool(
  tools: readonly McpTool[],
  name: string,
  given: Fields,
  caller: McpCaller,
): Promise<CallToolResult> {
  const tool = tools.find((each) => each.name === name);
  const record = (outcome: "done" | "failed" | "refused") =>
    caller.engine.call(caller.principal, recordToolCall, {
      tool: name.slice(0, LONGEST_NAME),
      outcome,
      request_id: caller.request_id,
    });
  const authority = tool?.authorityFor?.(given) ?? tool?.authority ?? "provision";
  if (!holds(caller.principal, authority)) {
    await record("refused");
    throw insufficientScope(caller, name, authority);
  }
  try {
    if (!tool) throw new EngineError("not_found", `there is no tool "${name}"`);
    const result = await perform(tool, given, caller);
    await record("done");
    return result;
  } catch (thrown) {
    const error = toEngineError(thrown);
    if (error.code === "internal")
      caller.log.error({ err: thrown, tool: name }, "tool call failed");
    await record("failed");
    return failure(error);
  }
}

/** Tools have short names; what somebody makes up may not fill the audit log. */
const LONGEST_NAME = 128;

async function perform(tool: McpTool, given: Fields, caller: McpCaller): Promise<CallToolResult> {
  const { engine, principal, request_id, base_url } = caller;
  const door = { resource: tool.name, details: { method: "tools/call", request_id } };
  const context: ToolContext = {
    base_url,
    call: (operation, input) =>
      engine.call(lent(principal, operation.scope), operation, input, door),
  };
  const fields = parseInput(tool.input, withoutNulls(given)) as Fields;
  const output = await context.call(tool.operation, await tool.toInput(fields, context));
  const structuredContent = tool.toStructured(output, fields);
  return {
    content: [{ type: "text", text: tool.toText(structuredContent, output) }],
    structuredContent,
  };
}

/** Models send null for what they leave out. */
const withoutNulls = (given: Fields): Fields =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

/** As existing clients read it (contract 4.14): a used-up quota is told, not failed. */
function failure({ code, message }: EngineError): CallToolResult {
  if (code === "usage_limited") return { content: [{ type: "text", text: `[quota: ${message}]` }] };
  return { content: [{ type: "text", text: `[ERROR] ${message}` }], isError: true };
}
