import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";
import type { TestApp, TestResponse } from "./app.ts";

export const MCP_URL = "http://127.0.0.1/api/v1/mcp/rpc";

/** The protocol's own client, connected to the app in this process. */
export async function connectMcp(app: TestApp, token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), {
    fetch: (url, init) => app.request(String(url), init),
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  // The SDK's own types disagree under `exactOptionalPropertyTypes`.
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  onTestFinished(() => client.close());
  return client;
}

/** A message of JSON-RPC as a script sends it. */
export const message = (method: string, params?: object, id: number | string | null = 1) => ({
  jsonrpc: "2.0",
  ...(id === null ? {} : { id }),
  method,
  ...(params ? { params } : {}),
});

/** Calls a tool without the SDK, as a script does. */
export const toolCall = (name: string, args: object = {}) =>
  message("tools/call", { name, arguments: args });

/** The text of a tool's answer. */
export const textOf = ({ body }: TestResponse): string => body.result.content[0].text;
