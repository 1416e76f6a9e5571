import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { boundedFetch } from "./bounded-fetch.ts";
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

function client(
  { base_url = "", api_key, model_name }: ModelConnection,
  change: ((body: Body) => Body) | undefined,
): ChatModel {
  const provider = createOpenAICompatible({
    name: "openai_compatible",
    baseURL: base_url,
    includeUsage: true,
    fetch: boundedFetch,
    ...(api_key ? { apiKey: api_key } : {}),
    ...(change ? { transformRequestBody: change } : {}),
  });
  return provider.chatModel(model_name);
}
