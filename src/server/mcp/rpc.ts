import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
  ErrorCode,
} from "@modelcontextprotocol/sdk/types.js";
import { EngineError } from "#engine/kernel/error.ts";
import { isObject } from "#engine/kernel/json.ts";
import { LIMITS } from "#engine/kernel/limits.ts";
import { parseJson, readText } from "../http/input.ts";
import type { HttpContext } from "../http/route.ts";

type Message = Readonly<Record<string, unknown>>;

/**
 * One JSON-RPC message in, its answer out, through the SDK and without a session: each request gets a server
 * and a transport of its own, which know nothing of any other.
 */
export async function answerRpc(http: HttpContext, server: Server): Promise<Response> {
  const message = await readMessage(http);
  if (message instanceof Response) return message;
  // What clients of the first revision send instead of `notifications/initialized`.
  if (message.method === "initialized") return new Response(null, { status: 202 });
  if (message.method === "tools/call" && !CallToolRequestSchema.safeParse(message).success) {
    return rpcError(
      200,
      ErrorCode.InvalidParams,
      "tools/call needs a name, and arguments that are an object",
      message.id,
    );
  }
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(tolerant(http.req.raw), {
      parsedBody: withDefaults(message),
    });
  } finally {
    await server.close();
  }
}

/** The request's one message, or the answer to what is none (contract 4.14). */
async function readMessage(http: HttpContext): Promise<Message | Response> {
  let message: unknown;
  try {
    message = parseJson(await readText(http, LIMITS.mcp_body_bytes));
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const is_parsed = !(error.cause instanceof SyntaxError);
    return rpcError(
      400,
      is_parsed ? ErrorCode.InvalidRequest : ErrorCode.ParseError,
      error.message,
    );
  }
  if (!isObject(message)) {
    return rpcError(400, ErrorCode.InvalidRequest, "send one message, a JSON object; no batches");
  }
  const problem = problemOf(message);
  return problem ? rpcError(400, ErrorCode.InvalidRequest, problem, message.id) : message;
}

function problemOf({ jsonrpc, method, ...rest }: Message): string | undefined {
  if (jsonrpc !== "2.0") return 'jsonrpc must be "2.0"';
  // An answer, to a question that this server never asks, has no method.
  const is_answer = method === undefined && ("result" in rest || "error" in rest);
  return typeof method === "string" || is_answer ? undefined : "method must be a text";
}

function rpcError(status: number, code: number, message: string, id: unknown = null): Response {
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  return Response.json({ jsonrpc: "2.0", id: known, error: { code, message } }, { status });
}

/** Scripts say less of themselves than the protocol asks of clients (contract 4.14). */
function withDefaults(message: Message): Message {
  if (message.method !== "initialize") return message;
  const params = {
    protocolVersion: DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: "unknown", version: "unknown" },
    ...(message.params as object | undefined),
  };
  return { ...message, params };
}

/** The answer is one JSON document whatever the caller says it takes, and JSON routes check no type (contract 0.6). */
function tolerant(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set("Accept", "application/json, text/event-stream");
  headers.set("Content-Type", "application/json");
  return new Request(request.url, { method: request.method, headers });
}
