import { createXai } from "@ai-sdk/xai";
import { fetchOf } from "./bounded-fetch.ts";
import { packageModel } from "./package-model.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

/** Nothing is kept at the provider, so reasoning comes along sealed and is sent back. */
const STATELESS = { xai: { store: false } };

/** xAI's responses API, the only one its package speaks. */
export function xaiModel(connection: ModelConnection): ChatModel {
  const { base_url = "", api_key = "", model_name } = connection;
  const provider = createXai({ baseURL: base_url, apiKey: api_key, fetch: fetchOf(connection) });
  return packageModel(provider.responses(model_name), (call) => ({
    ...call,
    providerOptions: STATELESS,
  }));
}
