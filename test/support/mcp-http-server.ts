import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface SeenRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: Record<string, unknown> | undefined;
}

export interface McpHttpServer {
  readonly url: string;
  /** What it was asked, in order. */
  readonly seen: SeenRequest[];
  /** From now on it knows no session that it has given. */
  forgetSessions(): void;
  /** From now on, calls are answered after this. */
  holdUntil(released: Promise<void>): void;
  /** What it does with calls instead of answering them. */
  misbehave(how: "cut" | "fail" | undefined): void;
}

/** An MCP server in this process, over streamable HTTP, which tells what it was sent. */
export async function startMcpHttpServer(token?: string): Promise<McpHttpServer> {
  const seen: SeenRequest[] = [];
  const sessions = new Set<string>();
  let made = 0;
  let held: Promise<void> | undefined;
  let fault: "cut" | "fail" | undefined;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { headers } = request;
    if (request.method !== "POST") return void response.writeHead(405).end();
    if (token !== undefined && headers.authorization !== `Bearer ${token}`)
      return void response.writeHead(401).end();
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
    seen.push({ method, headers, params });
    const reply = (body: object, more = {}) =>
      response
        .writeHead(200, { "Content-Type": "application/json", ...more })
        .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
    if (method === "initialize") {
      made += 1;
      const session = `session-${made}`;
      sessions.add(session);
      const { protocolVersion } = params;
      const serverInfo = { name: "test", version: "1" };
      const result = { protocolVersion, capabilities: { tools: {} }, serverInfo };
      return void reply({ result }, { "Mcp-Session-Id": session });
    }
    if (method === "server/discover") return void reply({ error: { code: -32601, message: "no" } });
    if (!sessions.has(String(headers["mcp-session-id"]))) return void response.writeHead(404).end();
    if (id === undefined) return void response.writeHead(202).end();
    if (method === "tools/list") {
      const look = { name: "look", description: "Looks.", inputSchema: { type: "object" } };
      return void reply({ result: { tools: [look] } });
    }
    await held;
    if (fault === "fail") return void response.writeHead(503).end("overloaded");
    if (fault === "cut") {
      response.writeHead(200, { "Content-Type": "text/event-stream" }).write(": working\n\n");
      return void setImmediate(() => response.end());
    }
    reply({ result: { content: [{ type: "text", text: "seen" }] } });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    forgetSessions: () => sessions.clear(),
    holdUntil(released) {
      held = released;
    },
    misbehave(how) {
      fault = how;
    },
  };
}
