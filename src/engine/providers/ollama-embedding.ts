import { z } from "zod";
import { EngineError } from "../kernel/error.ts";
import type { EmbeddingModel } from "./embedding.ts";
import { postToOllama } from "./ollama.ts";
import type { ModelConnection } from "./provider.ts";

const Answer = z.object({
  embeddings: z.array(z.array(z.number())),
  prompt_eval_count: z.number().optional(),
});

/** The local runtime's own embedding API. */
export const ollamaEmbeddingModel = (connection: ModelConnection): EmbeddingModel => ({
  async doEmbed({ values, abortSignal }) {
    const body = { model: connection.model_name, input: values };
    const response = await postToOllama(connection, "/api/embed", body, abortSignal);
    const answer = Answer.safeParse(await response.json());
    if (!answer.success) throw new EngineError("model_error", "the model's answer has no vectors");
    const { embeddings, prompt_eval_count } = answer.data;
    return {
      embeddings,
      warnings: [],
      ...(prompt_eval_count === undefined ? {} : { usage: { tokens: prompt_eval_count } }),
    };
  },
});
