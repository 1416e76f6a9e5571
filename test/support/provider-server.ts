import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ProviderReply {
  readonly body: string;
  readonly status?: number;
  readonly headers?: Record<string, string>;
  /** The connection breaks after the body. */
  readonly is_cut?: boolean;
}

export interface ProviderRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was asked
  readonly body: any;
}

export interface ProviderServer {
  readonly origin: string;
  readonly requests: ProviderRequest[];
  script(...replies: (ProviderReply | string)[]): void;
}

/** A hosted provider that plays what it says, byte by byte, on a real socket. */
export async function startProviderServer(
  ...replies: (ProviderReply | string)[]
): Promise<ProviderServer> {
  const script = [...replies];
  const requests: ProviderRequest[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    requests.push({ path: request.url ?? "", headers: request.headers, body: JSON.parse(text) });
    const next = script.shift() ?? { status: 500, body: "the script is over" };
    const reply = typeof next === "string" ? { body: next } : next;
    const { body, status = 200, headers = {}, is_cut = false } = reply;
    response.writeHead(status, { "Content-Type": "text/event-stream", ...headers });
    for (const piece of piecesOf(Buffer.from(body))) response.write(piece);
    if (is_cut) setImmediate(() => response.destroy());
    else response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    script: (...more) => script.push(...more),
  };
}

/** In odd pieces, as a socket may deliver them: within a line, within a character. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  const size = Math.max(7, Math.ceil(bytes.length / 1_000));
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Server-sent events without names, as most protocols send them. */
export const dataLines = (...values: readonly object[]): string =>
  values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join("");

/** Server-sent events that are named after their `type`. */
export const namedEvents = (
  ...values: readonly { readonly type: string; readonly [field: string]: unknown }[]
): string =>
  values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join("");
