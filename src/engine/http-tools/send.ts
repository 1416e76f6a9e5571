import { badRequest, EngineError } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import { isPublicUrl, isSiteAddress, isSiteUrl } from "../providers/public-address.ts";
import { createPublicFetch, type ResolveHost } from "../providers/public-fetch.ts";
import type { HttpRequest } from "./request.ts";

/** Requests by where they may go: `site` also reaches private addresses, as an administrator named one. */
export interface OutboundFetch {
  readonly public: typeof fetch;
  readonly site: typeof fetch;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export const createOutbound = (resolve?: ResolveHost): OutboundFetch => ({
  public: createPublicFetch(resolve),
  site: createPublicFetch(resolve, isSiteAddress, isSiteUrl),
});

const REDIRECTS_MAX = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/**
 * Sends a request to where its declaration says. Redirects of reads are followed: to its own origin as
 * it is, to another one without anything that was meant for the first, and to public addresses only.
 */
export async function send(
  outbound: OutboundFetch,
  request: HttpRequest,
  { is_private, signal }: { readonly is_private: boolean; readonly signal: AbortSignal },
): Promise<HttpAnswer> {
  const { method, body } = request;
  const { origin } = new URL(request.url);
  let { url } = request;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    const is_home = new URL(url).origin === origin;
    const response = await reach(is_home && is_private ? outbound.site : outbound.public, url, {
      method,
      headers: is_home ? request.headers : {},
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const next = locationOf(method, response, url);
    if (next === undefined) return { status: response.status, text: await readText(response) };
    await response.body?.cancel();
    url = next;
  }
  throw badRequest(`more than ${REDIRECTS_MAX} redirects`);
}

/** Where a read is sent on to; what changes something goes to its own address or nowhere. */
function locationOf(
  method: string,
  { status, headers }: Response,
  base: string,
): string | undefined {
  const location = headers.get("Location");
  if (method !== "GET" && method !== "HEAD") return undefined;
  if (!REDIRECTS.has(status) || !location || !URL.canParse(location, base)) return undefined;
  return new URL(location, base).href;
}

/** Errors say which host, and never with what it was called. */
async function reach(sendTo: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  try {
    return await sendTo(url, init);
  } catch (error) {
    if (error instanceof EngineError || init.signal?.aborted) throw error;
    const { cause } = error as { cause?: { code?: string } };
    const reason = cause?.code ?? "no answer";
    throw new EngineError("unavailable", `cannot reach ${new URL(url).host} (${reason})`, {
      cause: error,
    });
  }
}

/** What a model can read of an answer; a longer one is cut, and says so. */
async function readText(response: Response): Promise<string> {
  const type = response.headers.get("Content-Type") ?? "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    // Leaving the loop closes the connection: the rest is not even received.
    if (size > LIMITS.http_tool_answer_bytes) break;
  }
  if (/^(image|audio|video|font)\/|octet-stream|\/(zip|pdf|gzip)/i.test(type)) {
    return `(${type.split(";")[0]}, which is not text)`;
  }
  const text = Buffer.concat(chunks).subarray(0, LIMITS.http_tool_answer_bytes).toString("utf8");
  if (size <= LIMITS.http_tool_answer_bytes) return text;
  return `${text}\n(cut after ${LIMITS.http_tool_answer_bytes} bytes)`;
}

/** Whether the declaration itself names an address that is not public. */
export const namesPrivateHost = (url: string): boolean => !isPublicUrl(url);
