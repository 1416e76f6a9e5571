import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export type Reply =
  | { readonly text: string; readonly usage?: boolean }
  | { readonly call: { readonly tool: string; readonly input: unknown } }
  | {
      readonly status: number;
      readonly body: string;
      readonly type?: string;
      readonly headers?: Record<string, string>;
    }
  /** Sends exactly these bytes as the stream. */
  | { readonly raw: string }
  /** Says the text, then cuts the connection. */
  | { readonly cut: string }
  /** Says the text, then nothing more until `release`. */
  | { readonly hold: string };

export interface ModelServer {
  readonly base_url: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was asked
  readonly requests: { readonly headers: IncomingMessage["headers"]; readonly body: any }[];
  script(...replies: Reply[]): void;
  release(): void;
  /** Resolves when a reply that holds has said its text. */
  held(): Promise<void>;
  close(): Promise<void>;
}

/** An OpenAI-compatible server that plays a script, for tests over real sockets. */
export async function startModelServer(...replies: Reply[]): Promise<ModelServer> {
  const script = [...replies];
  const requests: ModelServer["requests"] = [];
  let release = Promise.withResolvers<void>();
  let held = Promise.withResolvers<void>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    requests.push({ headers: request.headers, body: JSON.parse(text) });
    const reply = script.shift() ?? { text: "(the script is over)" };
    if ("status" in reply) {
      response.writeHead(reply.status, {
        "Content-Type": reply.type ?? "application/json",
        ...reply.headers,
      });
      response.end(reply.body);
      return;
    }
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    if ("raw" in reply) return void response.end(reply.raw);
    if ("call" in reply) {
      const { tool, input } = reply.call;
      const call = {
        index: 0,
        id: "call_1",
        function: { name: tool, arguments: JSON.stringify(input) },
      };
      response.write(chunk({ tool_calls: [call] }));
      return void response.end(finish("tool_calls"));
    }
    const words = "text" in reply ? reply.text : "cut" in reply ? reply.cut : reply.hold;
    for (const word of words.match(/\s*\S+/g) ?? []) response.write(chunk({ content: word }));
    if ("cut" in reply) return void setImmediate(() => response.destroy());
    if ("hold" in reply) {
      held.resolve();
      await Promise.race([release.promise, once(response, "close")]);
    }
    response.end(finish("stop"));
  }

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  };
  onTestFinished(close);
  return {
    base_url: `http://127.0.0.1:${port}/v1`,
    requests,
    script: (...more) => script.push(...more),
    release() {
      release.resolve();
      release = Promise.withResolvers();
      held = Promise.withResolvers();
    },
    held: () => held.promise,
    close,
  };
}

const chunk = (delta: object): string =>
  `data: ${JSON.stringify({ id: "1", choices: [{ index: 0, delta }] })}\n\n`;

const finish = (reason: string): string =>
  [
    { id: "1", choices: [{ index: 0, delta: {}, finish_reason: reason }] },
    { id: "1", choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } },
  ]
    .map((part) => `data: ${JSON.stringify(part)}\n\n`)
    .join("")
    .concat("data: [DONE]\n\n");
