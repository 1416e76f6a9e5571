import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { ChatModel, ModelConnection } from "./provider.ts";

/** Any server that speaks the chat completions protocol. */
export function openAiCompatibleModel(connection: ModelConnection): ChatModel {
  const { base_url = "", api_key, extra_body, model_name } = connection;
  const provider = createOpenAICompatible({
    name: "openai_compatible",
    baseURL: base_url,
    includeUsage: true,
    ...(api_key ? { apiKey: api_key } : {}),
    ...(extra_body ? { transformRequestBody: (body) => ({ ...body, ...extra_body }) } : {}),
  });
  return provider.chatModel(model_name);
}
