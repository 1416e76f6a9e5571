import { createDeepSeek } from "@ai-sdk/deepseek";
import { fetchOf } from "./bounded-fetch.ts";
import { packageModel } from "./package-model.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

/** DeepSeek's chat completions, whose thinking models want their reasoning back. */
export function deepSeekModel(connection: ModelConnection): ChatModel {
  const { base_url = "", api_key = "", model_name } = connection;
  const fetch = fetchOf(connection);
  const provider = createDeepSeek({ baseURL: base_url, apiKey: api_key, fetch });
  return packageModel(provider.chat(model_name), (call) => call);
}
