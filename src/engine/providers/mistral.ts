import { createMistral } from "@ai-sdk/mistral";
import { sha256 } from "../kernel/ids.ts";
import { fetchOf } from "./bounded-fetch.ts";
import type { EmbeddingModel } from "./embedding.ts";
import { packageModel } from "./package-model.ts";
import { renameCalls, systemFirst } from "./prompt-rules.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

const CALL_ID_LENGTH = 9;
const CALL_ID = /^[a-zA-Z0-9]{9}$/;

/** Mistral's chat completions. */
export function mistralModel(connection: ModelConnection): ChatModel {
  const model = providerOf(connection).chat(connection.model_name);
  return packageModel(model, (call) => ({
    ...call,
    prompt: renameCalls(systemFirst(call.prompt), toCallId),
  }));
}

export const mistralEmbeddingModel = (connection: ModelConnection): EmbeddingModel =>
  providerOf(connection).embeddingModel(connection.model_name);

const providerOf = ({ base_url = "", api_key = "", fetch }: ModelConnection) =>
  createMistral({ baseURL: base_url, apiKey: api_key, fetch: fetchOf({ fetch }) });

/** It takes ids of nine letters and digits only, and other servers and the engine make longer ones. */
const toCallId = (id: string): string =>
  CALL_ID.test(id) ? id : sha256(id).slice(0, CALL_ID_LENGTH);
