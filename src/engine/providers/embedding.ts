import type { EmbeddingModelV4 } from "@ai-sdk/provider";
import { badRequest } from "../kernel/error.ts";
import { presetAddress } from "./model-types.ts";
import type { ModelConnection } from "./provider.ts";

/** A model that turns texts into vectors. */
export type EmbeddingModel = Pick<EmbeddingModelV4, "doEmbed">;

/** The model that comes with the product. It is loaded by its first use; queries go before passages. */
export interface EmbeddedModel {
  /** Of its weights: other weights must have another name. */
  readonly name: string;
  readonly queries: EmbeddingModel;
  readonly passages: EmbeddingModel;
}

/** The client of a configured embedding model. Throws `bad_request` for a type that has none. */
export async function createEmbeddingModel(configured: ModelConnection): Promise<EmbeddingModel> {
  const base_url = configured.base_url || presetAddress(configured.type);
  const connection = { ...configured, base_url };
  switch (connection.type) {
    case "ollama":
      return (await import("./ollama-embedding.ts")).ollamaEmbeddingModel(connection);
    case "openai_compatible":
    case "zai":
      return (await import("./openai-compatible.ts")).openAiCompatibleEmbeddingModel(connection);
    case "azure_openai":
      return (await import("./azure-openai.ts")).azureOpenAiEmbeddingModel(connection);
    case "google":
      return (await import("./google.ts")).googleEmbeddingModel(connection);
    case "mistral":
      return (await import("./mistral.ts")).mistralEmbeddingModel(connection);
    default:
      throw badRequest(`there are no embedding models of type "${connection.type}"`);
  }
}
