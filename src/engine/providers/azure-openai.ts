import { createAzure } from "@ai-sdk/azure";
import { fetchOf } from "./bounded-fetch.ts";
import type { EmbeddingModel } from "./embedding.ts";
import { packageModel } from "./package-model.ts";
import { withoutReasoning } from "./prompt-rules.ts";
import type { ChatModel, ModelConnection } from "./provider.ts";

const DEFAULT_API_VERSION = "2024-10-21";

/** Chat completions of a deployment in Azure; the model's name is the deployment's. */
export function azureOpenAiModel(connection: ModelConnection): ChatModel {
  const model = providerOf(connection).chat(connection.model_name);
  return packageModel(model, (call) => ({ ...call, prompt: withoutReasoning(call.prompt) }));
}

export const azureOpenAiEmbeddingModel = (connection: ModelConnection): EmbeddingModel =>
  providerOf(connection).embeddingModel(connection.model_name);

const providerOf = ({ base_url = "", api_key = "", api_version, fetch }: ModelConnection) =>
  createAzure({
    // The portal shows the address with this ending, too.
    baseURL: `${base_url.replace(/\/openai$/, "")}/openai`,
    apiKey: api_key,
    apiVersion: api_version || DEFAULT_API_VERSION,
    useDeploymentBasedUrls: true,
    fetch: fetchOf({ fetch }),
  });
