import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { fetchOf } from "./bounded-fetch.ts";
import type { EmbeddingModel } from "./embedding.ts";
import { withoutReasoning } from "./prompt-rules.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

type Body = Record<string, unknown>;

/** Any server that speaks the chat completions protocol. */
export const openAiCompatibleModel = (connection: ModelConnection): ChatModel => {
  const { extra_body } = connection;
  return client(connection, extra_body && ((body) => ({ ...body, ...extra_body })));
};

/** OpenAI itself, which refuses some of what its own protocol has elsewhere. */
export function openAiModel(connection: ModelConnection): ChatModel {
  const model = client(connection, ({ max_tokens, ...body }) => ({
    ...body,
    ...(max_tokens === undefined ? {} : { max_completion_tokens: max_tokens }),
  }));
  return {
    doStream: (call) => model.doStream({ ...call, prompt: withoutReasoning(call.prompt) }),
  };
}

/** The same servers' vectors. */
export const openAiCompatibleEmbeddingModel = (connection: ModelConnection): EmbeddingModel =>
  providerOf(connection).embeddingModel(connection.model_name);

const client = (connection: ModelConnection, change?: (body: Body) => Body): ChatModel =>
  providerOf(connection, change).chatModel(connection.model_name);

const providerOf = (
  { base_url = "", api_key, fetch }: ModelConnection,
  change?: (body: Body) => Body,
) =>
  createOpenAICompatible({
    name: "openai_compatible",
    baseURL: base_url,
    includeUsage: true,
    fetch: fetchOf({ fetch }),
    ...(api_key ? { apiKey: api_key } : {}),
    ...(change ? { transformRequestBody: change } : {}),
  });
