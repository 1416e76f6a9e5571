import { entryOf } from "../audit/record.ts";
import type { Context } from "../context.ts";
import { changesOf, digestsOf, type RemoteTool } from "./remote-tool.ts";
import type { McpServerRecord } from "./server.ts";

/** Remembers what tools are like; when one is another than last time, the audit log tells. */
export async function noteTools(
  ctx: Context,
  { id, name }: McpServerRecord,
  tools: readonly RemoteTool[],
): Promise<void> {
  const tool_digests = { ...digestsOf(tools) };
  try {
    const known = (await ctx.read.mcp_servers.get(id))?.tool_digests;
    if (known && !changesOf(known, tool_digests)) return;
    await ctx.write(async (tx) => {
      const before = (await tx.mcp_servers.get(id))?.tool_digests;
      const changes = before && changesOf(before, tool_digests);
      if (changes) ctx.services.log.warn({ mcp_server: name, ...changes }, "MCP tools changed");
      await tx.mcp_servers.update(id, { tool_digests });
      const door = { resource: `MCP server ${name}`, details: { ...changes } };
      if (changes) await tx.audit.append(entryOf(ctx, "mcp.tools.changed", door));
    });
  } catch (error) {
    ctx.services.log.error({ err: error, mcp_server: name }, "MCP tools can't be remembered");
  }
}
