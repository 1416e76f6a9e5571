import { createAnthropic } from "@ai-sdk/anthropic";
import { withCacheBreakpoints } from "./anthropic-cache.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { packageModel } from "./package-model.ts";
import { renameCalls, systemFirst } from "./prompt-rules.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

/** Anthropic's messages API. */
export function anthropicModel(connection: ModelConnection): ChatModel {
  const { base_url = "", api_key = "", model_name, cache_control } = connection;
  const provider = createAnthropic({ baseURL: base_url, apiKey: api_key, fetch: boundedFetch });
  return packageModel(provider.messages(model_name), (call) => {
    const prompt = renameCalls(systemFirst(call.prompt), toCallId);
    return withCacheBreakpoints({ ...call, prompt }, cache_control);
  });
}

/** Ids of other servers may hold characters that this one refuses. */
const toCallId = (id: string): string => id.replace(/[^a-zA-Z0-9_-]/g, "_");
