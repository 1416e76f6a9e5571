import { createAnthropic } from "@ai-sdk/anthropic";
import { APICallError } from "@ai-sdk/provider";
import { withCacheBreakpoints } from "./anthropic-cache.ts";
import { fetchOf } from "./bounded-fetch.ts";
import { packageModel } from "./package-model.ts";
import {
  laterSystemAsUser,
  renameCalls,
  withoutReasoning,
  withToolsOfHistory,
} from "./prompt-rules.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";
import { splitReasoning } from "./reasoning.ts";

/** Anthropic's messages API. */
export function anthropicModel(connection: ModelConnection): ChatModel {
  const { base_url = "", api_key = "", model_name, cache_control } = connection;
  const fetch = fetchOf(connection);
  const provider = createAnthropic({ baseURL: base_url, apiKey: api_key, fetch });
  const model = packageModel(provider.messages(model_name), (call) => {
    const prompt = renameCalls(laterSystemAsUser(call.prompt), toCallId);
    return withCacheBreakpoints(withToolsOfHistory({ ...call, prompt }), cache_control);
  });
  return {
    async doStream(call) {
      try {
        return await model.doStream(call);
      } catch (error) {
        if (!refusesReasoning(error)) throw error;
        const prompt = withoutReasoning(splitReasoning(call.prompt));
        return model.doStream({ ...call, prompt });
      }
    },
  };
}

/**
 * Newer models take reasoning back only behind exactly what they were asked then. A conversation whose
 * tools or instructions changed since, or that another model began, goes on without it.
 */
const refusesReasoning = (error: unknown): boolean =>
  APICallError.isInstance(error) &&
  error.statusCode === 400 &&
  /thinking.{0,3} block|signature/i.test(error.responseBody ?? "");

/** Ids of other servers may hold characters that this one refuses. */
const toCallId = (id: string): string => id.replace(/[^a-zA-Z0-9_-]/g, "_");
