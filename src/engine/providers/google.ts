import { createGoogle } from "@ai-sdk/google";
import { boundedFetch } from "./bounded-fetch.ts";
import { packageModel } from "./package-model.ts";
import { systemFirst } from "./prompt-rules.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

/** Google's native Gemini API. */
export function googleModel({
  base_url = "",
  api_key = "",
  model_name,
}: ModelConnection): ChatModel {
  const provider = createGoogle({ baseURL: base_url, apiKey: api_key, fetch: boundedFetch });
  return packageModel(provider.chat(model_name), (call) => ({
    ...call,
    prompt: systemFirst(call.prompt),
  }));
}
