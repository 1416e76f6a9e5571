import { AsyncLocalStorage } from "node:async_hooks";
import { EngineError } from "../../kernel/error.ts";
import type { ForwardedHeaders } from "../forwarded-headers.ts";

/** A call and what it causes can see its own headers and nobody else's. */
const forwarded = new AsyncLocalStorage<ForwardedHeaders>();

/** Requests that `work` makes carry these headers. */
export const forwarding = <Result>(headers: ForwardedHeaders, work: () => Result): Result =>
  forwarded.run(headers, work);

/** What is made here outlives the call that needed it first, so it must not take on its headers. */
export const forwardingNothing = <Result>(work: () => Result): Result => forwarded.exit(work);

/** An answer is a few messages, one a line or all in one. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;

/** The fetch of one server: with what callers forward to it, and answers that cannot fill the memory. */
export const createServerFetch =
  (send: typeof fetch): typeof fetch =>
  async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const [name, value] of Object.entries(forwarded.getStore() ?? {}))
      headers.set(name, value);
    const response = await send(input, { ...init, headers, redirect: "manual" });
    if (!response.body) return response;
    // A stream that waits for news lasts for ever, and is bounded by its line.
    const is_stream = init?.method === undefined || init.method === "GET";
    const { status, statusText } = response;
    const body = response.body.pipeThrough(bounds(is_stream));
    const answer = new Response(body, { status, statusText, headers: response.headers });
    // The SDK resolves what a redirect names against it.
    Object.defineProperty(answer, "url", { value: response.url });
    return answer;
  };

function bounds(
  is_stream: boolean,
): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = is_stream ? chunk.lastIndexOf(NEW_LINE) : -1;
      bytes = end === -1 ? bytes + chunk.byteLength : chunk.byteLength - end - 1;
      if (bytes > ANSWER_BYTES_MAX)
        throw new EngineError("unavailable", `an answer of more than ${ANSWER_BYTES_MAX} bytes`);
      controller.enqueue(chunk);
    },
  });
}

const NEW_LINE = 10;
