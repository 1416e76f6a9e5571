import { createMistral } from "@ai-sdk/mistral";
import { sha256 } from "../kernel/ids.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { packageModel } from "./package-model.ts";
import { renameCalls, systemFirst } from "./prompt-rules.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

const CALL_ID_LENGTH = 9;
const CALL_ID = /^[a-zA-Z0-9]{9}$/;

/** Mistral's chat completions. */
export function mistralModel({
  base_url = "",
  api_key = "",
  model_name,
}: ModelConnection): ChatModel {
  const provider = createMistral({ baseURL: base_url, apiKey: api_key, fetch: boundedFetch });
  return packageModel(provider.chat(model_name), (call) => ({
    ...call,
    prompt: renameCalls(systemFirst(call.prompt), toCallId),
  }));
}

/** It takes ids of nine letters and digits only, and other servers and the engine make longer ones. */
const toCallId = (id: string): string =>
  CALL_ID.test(id) ? id : sha256(id).slice(0, CALL_ID_LENGTH);
