/**
 * The product's own client of MCP servers, as the protocol's conformance runner starts it:
 * `node client.ts URL`. It connects, lists the tools, and calls each of them.
 */
import { randomUUID } from "node:crypto";
import { connectTo } from "#engine/mcp-servers/connections/protocol.ts";
import { createServerFetch } from "#engine/mcp-servers/connections/server-fetch.ts";
import type { RemoteTool } from "#engine/mcp-servers/remote-tool.ts";

const url = process.argv.at(-1) ?? "";
const scenario = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const target = { type: "http", url, token: undefined, fetch: createServerFetch(fetch) } as const;
const quiet = { onToolsChanged: () => undefined, onClosed: () => undefined };
const SAMPLES: Record<string, unknown> = {
  string: "text",
  number: 2,
  integer: 2,
  boolean: true,
  array: [],
  object: {},
};

const limits = { timeout_ms: 20_000, signal: new AbortController().signal };
const connection = await connectTo(target, "0.0.0-test", quiet, limits);
const tools = await connection.listTools();
for (const tool of tools) {
  for (const input of inputsOf(tool)) {
    const times = { silence_ms: 20_000, total_ms: 20_000, idempotency_key: randomUUID() };
    const options = { ...times, signal: new AbortController().signal };
    // A failed call is for a model to read: it ends neither a turn nor this.
    const outcome = await connection.callTool(tool, input, options).catch((error) => error);
    process.stdout.write(`${tool.name}: ${JSON.stringify(outcome)}\n`);
  }
}
await connection.close();

/** What the scenario wants the tool to be called with, or else a value for each argument. */
function inputsOf(tool: RemoteTool): Record<string, unknown>[] {
  const calls: { name: string; arguments: Record<string, unknown> }[] = scenario.toolCalls ?? [];
  const wanted = calls.filter(({ name }) => name === tool.name);
  if (wanted.length > 0) return wanted.map((call) => call.arguments);
  // The runner's way to see what is left of another tool's schema.
  if (tool.name === "json_schema_echo") return [{ schema: tools[0]?.inputSchema }];
  const properties = (tool.inputSchema.properties ?? {}) as Record<string, { type?: string }>;
  const entries = Object.entries(properties).map(([name, { type }]) => [name, SAMPLES[type ?? ""]]);
  return [Object.fromEntries(entries)];
}
