import { badRequest } from "../kernel/error.ts";
import type { CreateChatModel } from "./provider.ts";

/** The client of a configured model; its package is loaded when the first one is needed. */
export const createChatModel: CreateChatModel = async (connection) => {
  switch (connection.type) {
    case "demo":
      return (await import("./demo.ts")).demoModel;
    case "ollama":
      return (await import("./ollama.ts")).ollamaModel(connection);
    case "openai_compatible":
      return (await import("./openai-compatible.ts")).openAiCompatibleModel(connection);
    default:
      throw badRequest(`there is no model type "${connection.type}"`);
  }
};
