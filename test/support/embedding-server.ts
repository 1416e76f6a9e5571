import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface EmbeddingServer {
  readonly base_url: string;
  /** The texts of each request. */
  readonly batches: string[][];
  /** The model that each request named. */
  readonly models: string[];
  /** From now on answers with this status; for this model only, if one is named. */
  fail(status: number, model?: string): void;
}

/** An OpenAI-compatible embedding model: a text's vector says which of the meanings it has. */
export async function startEmbeddingServer(meanings: readonly RegExp[]): Promise<EmbeddingServer> {
  const batches: string[][] = [];
  const models: string[] = [];
  let failure: { status: number; model: string | undefined } | undefined;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    response.setHeader("Content-Type", "application/json");
    const { input, model } = JSON.parse(body) as { input: string | string[]; model: string };
    if (failure && (failure.model ?? model) === model) {
      response.writeHead(failure.status).end(JSON.stringify({ error: { message: "refused" } }));
      return;
    }
    const texts = [input].flat();
    batches.push(texts);
    models.push(model);
    const data = texts.map((text, index) => ({
      index,
      object: "embedding",
      embedding: [...meanings.map((meaning) => (meaning.test(text) ? 1 : 0)), 0.1],
    }));
    response.end(JSON.stringify({ object: "list", data, usage: { prompt_tokens: 1 } }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return {
    base_url: `http://127.0.0.1:${port}/v1`,
    batches,
    models,
    fail: (status, model) => {
      failure = { status, model };
    },
  };
}
