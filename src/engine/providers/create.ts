import { badRequest } from "../kernel/error.ts";
import { presetAddress } from "./model-types.ts";
import type { CreateChatModel } from "./provider.ts";

/** The client of a configured model; its package is loaded when the first one is needed. */
export const createChatModel: CreateChatModel = async (configured) => {
  const base_url = configured.base_url || presetAddress(configured.type);
  const connection = { ...configured, base_url };
  switch (connection.type) {
    case "demo":
      return (await import("./demo.ts")).demoModel;
    case "ollama":
      return (await import("./ollama.ts")).ollamaModel(connection);
    case "openai_compatible":
    case "openrouter":
    case "zai":
      return (await import("./openai-compatible.ts")).openAiCompatibleModel(connection);
    case "openai":
      return (await import("./openai-compatible.ts")).openAiModel(connection);
    case "anthropic":
      return (await import("./anthropic.ts")).anthropicModel(connection);
    case "azure_openai":
      return (await import("./azure-openai.ts")).azureOpenAiModel(connection);
    case "google":
      return (await import("./google.ts")).googleModel(connection);
    case "deepseek":
      return (await import("./deepseek.ts")).deepSeekModel(connection);
    case "mistral":
      return (await import("./mistral.ts")).mistralModel(connection);
    case "xai":
      return (await import("./xai.ts")).xaiModel(connection);
    default:
      throw badRequest(`there is no model type "${connection.type}"`);
  }
};
