import { z } from "zod";
import type { Context } from "../context.ts";
import { EngineError } from "../kernel/error.ts";
import { uuidOf } from "../kernel/ids.ts";
import { defineTool, errorResult, type SecurityZone, type Tool } from "../tools/tool.ts";
import { CALL_TOTAL_MS } from "./connections/connection.ts";
import type { ForwardedHeaders } from "./forwarded-headers.ts";
import type { RemoteTool } from "./remote-tool.ts";
import { textOfResult } from "./result-text.ts";
import type { McpServerRecord } from "./server.ts";
import { qualifiedName, toolNames } from "./tool-names.ts";

/** What an agent gets from its servers for one turn. */
export interface ServerTools {
  readonly tools: readonly Tool[];
  /** What the model is told of servers that cannot be used now. */
  readonly notes: readonly string[];
}

/** `taken` are the names of all other tools; `headers` is what the turn's request brought along. */
export async function openServerTools(
  ctx: Context,
  agent_id: string,
  taken: ReadonlySet<string>,
  headers: ForwardedHeaders,
): Promise<ServerTools> {
  const servers = (await ctx.read.mcp_servers.listByAgent(agent_id)).filter((one) => one.enabled);
  if (servers.length === 0) return NONE;
  const listed = await Promise.all(servers.map((server) => listTools(ctx, server)));
  const found = listed.flatMap(({ server, tools }) => tools.map((tool) => ({ server, tool })));
  const named = found.map(({ server, tool }) => ({ server: server.name, tool: tool.name }));
  const names = toolNames(named, taken);
  const tools = found.map(({ server, tool }, index) =>
    toTool(ctx, server, tool, names[index] ?? "", headers),
  );
  const missing = listed.flatMap(({ server, is_missing }) => (is_missing ? [server.name] : []));
  return { tools, notes: missing.length === 0 ? [] : [missingNote(missing)] };
}

const NONE: ServerTools = { tools: [], notes: [] };

const missingNote = (names: readonly string[]): string =>
  `The tools of ${names.join(", ")} cannot be reached at the moment. If the task needs them, say so.`;

interface ListedTools {
  readonly server: McpServerRecord;
  readonly tools: readonly RemoteTool[];
  readonly is_missing: boolean;
}

async function listTools({ services }: Context, server: McpServerRecord): Promise<ListedTools> {
  try {
    return { server, tools: await services.mcp_servers.listTools(server), is_missing: false };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const reason = error.message;
    services.log.warn({ mcp_server: server.name, reason }, "turn goes on without an MCP server");
    return { server, tools: [], is_missing: true };
  }
}

/** Its arguments are checked by its server, which knows better than anybody what it takes. */
const Arguments = z.record(z.string(), z.unknown());

function toTool(
  { services }: Context,
  server: McpServerRecord,
  tool: RemoteTool,
  name: string,
  headers: ForwardedHeaders,
): Tool {
  const named = { server: server.name, tool: tool.name };
  const { $schema, ...input_schema } = tool.inputSchema;
  return defineTool({
    name,
    description: tool.description ?? "",
    security_zone: zoneOf(server, tool),
    retry: isRepeatable(server, tool) ? "safe" : "never",
    // The server's own limits are kept by the connection, which hears of its progress.
    timeout_ms: CALL_TOTAL_MS,
    input: Arguments,
    input_schema,
    also_known_as: [tool.name, qualifiedName(named), `${server.name}/${tool.name}`],
    digest: () => `${server.id}:${services.mcp_servers.toolDigest(server.id, tool.name)}`,
    async execute(input, { session_id, call_id, signal }) {
      // The same for a call that is repeated after a crash, so that a server can tell.
      const idempotency_key = uuidOf(`${session_id} ${call_id}`);
      const call = { tool, input, headers, idempotency_key, signal };
      const result = await services.mcp_servers.call(server.id, call);
      const text = textOfResult(result);
      const is_untrusted = true;
      return result.isError
        ? { ...errorResult(text), is_untrusted }
        : { content: text, is_untrusted };
    },
  });
}

/** What a server says of its tool counts where an administrator chose the server; see decision 0040. */
const isRepeatable = ({ is_trusted }: McpServerRecord, { annotations }: RemoteTool): boolean =>
  is_trusted && (annotations?.readOnlyHint === true || annotations?.idempotentHint === true);

function zoneOf(server: McpServerRecord, { annotations }: RemoteTool): SecurityZone {
  if (annotations?.destructiveHint === true && annotations.readOnlyHint !== true)
    return "dangerous";
  return server.is_trusted && annotations?.readOnlyHint === true ? "safe" : "caution";
}
