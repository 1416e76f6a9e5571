import { createDeepSeek } from "@ai-sdk/deepseek";
import { boundedFetch } from "./bounded-fetch.ts";
import { packageModel } from "./package-model.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

/** DeepSeek's chat completions, whose thinking models want their reasoning back. */
export function deepSeekModel({
  base_url = "",
  api_key = "",
  model_name,
}: ModelConnection): ChatModel {
  const provider = createDeepSeek({ baseURL: base_url, apiKey: api_key, fetch: boundedFetch });
  return packageModel(provider.chat(model_name), (call) => call);
}
