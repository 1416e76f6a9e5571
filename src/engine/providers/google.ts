import { createGoogle } from "@ai-sdk/google";
import { fetchOf } from "./bounded-fetch.ts";
import type { EmbeddingModel } from "./embedding.ts";
import { packageModel } from "./package-model.ts";
import { laterSystemAsUser } from "./prompt-rules.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

/** Google's native Gemini API. */
export function googleModel(connection: ModelConnection): ChatModel {
  const model = providerOf(connection).chat(connection.model_name);
  return packageModel(model, (call) => ({ ...call, prompt: laterSystemAsUser(call.prompt) }));
}

export const googleEmbeddingModel = (connection: ModelConnection): EmbeddingModel =>
  providerOf(connection).embeddingModel(connection.model_name);

const providerOf = ({ base_url = "", api_key = "", fetch }: ModelConnection) =>
  createGoogle({ baseURL: base_url, apiKey: api_key, fetch: fetchOf({ fetch }) });
