import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface EmbeddingServer {
  readonly base_url: string;
  /** The texts of each request. */
  readonly batches: string[][];
  /** From now on answers with this status. */
  fail(status: number): void;
}

/** An OpenAI-compatible embedding model: a text's vector says which of the meanings it has. */
export async function startEmbeddingServer(meanings: readonly RegExp[]): Promise<EmbeddingServer> {
  const batches: string[][] = [];
  let failure: number | undefined;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    response.setHeader("Content-Type", "application/json");
    if (failure !== undefined) {
      response.writeHead(failure).end(JSON.stringify({ error: { message: "refused" } }));
      return;
    }
    const texts = [(JSON.parse(body) as { input: string | string[] }).input].flat();
    batches.push(texts);
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
    fail: (status) => {
      failure = status;
    },
  };
}
