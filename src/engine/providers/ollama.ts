import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { APICallError } from "@ai-sdk/provider";
import { EngineError } from "../kernel/error.ts";
import { newUuid } from "../kernel/ids.ts";
import { fetchOf } from "./bounded-fetch.ts";
import { readJsonLines } from "./json-lines.ts";
import { type OllamaChunk, toOllamaRequest } from "./ollama-request.ts";
import { partStream } from "./part-stream.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

/** The local runtime's own chat API: the compatible one would ignore the context size. */
export const ollamaModel = (connection: ModelConnection): ChatModel => ({
  async doStream(call) {
    const body = toOllamaRequest(connection, call);
    const response = await postToOllama(connection, "/api/chat", body, call.abortSignal);
    if (!response.body) throw new EngineError("model_error", "the model's answer was cut off");
    return { stream: partStream(parts(response.body)) };
  },
});

/** Throws for every answer that is no success. */
export async function postToOllama(
  connection: ModelConnection,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { base_url = "", api_key } = connection;
  const url = base_url + path;
  const response = await fetchOf(connection)(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      ...(api_key ? { Authorization: `Bearer ${api_key}` } : {}),
    },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
  if (!response.ok) throw await refused(response, url, connection);
  return response;
}

async function refused(response: Response, url: string, { model_name }: ModelConnection) {
  const responseBody = await response.text();
  if (response.status === 404 && /not found/.test(responseBody)) {
    return new EngineError(
      "model_error",
      `the model "${model_name}" is not there yet: run \`ollama pull ${model_name}\``,
    );
  }
  return new APICallError({
    message: `answered ${response.status}`,
    url,
    requestBodyValues: {},
    statusCode: response.status,
    responseHeaders: Object.fromEntries(response.headers),
    responseBody,
  });
}

async function* parts(body: ReadableStream<Uint8Array>): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  let called = false;
  for await (const line of readJsonLines(body)) {
    const chunk = line as OllamaChunk;
    if (chunk.error !== undefined) {
      throw new EngineError("model_error", `the model failed: ${chunk.error}`);
    }
    const said = messageParts(chunk);
    called ||= said.some(({ type }) => type === "tool-call");
    yield* said;
    if (chunk.done) return yield finish(chunk, called);
  }
  throw new EngineError("model_error", "the model's answer was cut off");
}

function messageParts({ message }: OllamaChunk): LanguageModelV4StreamPart[] {
  const { content, thinking, tool_calls = [] } = message ?? {};
  const parts: LanguageModelV4StreamPart[] = [];
  if (thinking) parts.push({ type: "reasoning-delta", id: "reasoning", delta: thinking });
  if (content) parts.push({ type: "text-delta", id: "text", delta: content });
  for (const { function: called } of tool_calls) {
    const input = JSON.stringify(called.arguments ?? {});
    parts.push({ type: "tool-call", toolCallId: newUuid(), toolName: called.name, input });
  }
  return parts;
}

function finish(chunk: OllamaChunk, called: boolean): LanguageModelV4StreamPart {
  const reason = chunk.done_reason === "length" ? "length" : "stop";
  const { prompt_eval_count: asked, eval_count: said } = chunk;
  return {
    type: "finish",
    finishReason: { unified: called ? "tool-calls" : reason, raw: chunk.done_reason },
    usage: {
      inputTokens: { total: asked, noCache: asked, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: said, text: undefined, reasoning: undefined },
    },
  };
}
