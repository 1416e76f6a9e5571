import { EngineError } from "../kernel/error.ts";
import type { ModelConnection } from "./provider.ts";

/** One event of a stream is one line: nobody has a reason to send a longer one. */
const LINE_BYTES_MAX = 4 * 1024 * 1024;

/** Far more than a model says in one step, with all that its protocol adds. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/**
 * The fetch of every provider: its answers cannot fill the memory, whatever they say about themselves.
 * A redirect is an answer and not followed, so that a key never goes to a place nobody configured.
 */
export const fetchOf =
  (connection: Pick<ModelConnection, "fetch">): typeof fetch =>
  async (input, init) => {
    const send = connection.fetch ?? fetch;
    const response = await send(input, { ...init, redirect: "manual" });
    if (!response.body) return response;
    const { status, statusText } = response;
    const headers = [...response.headers] as [string, string][];
    return new Response(response.body.pipeThrough(bounds()), { status, statusText, headers });
  };

function bounds(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let answer = 0;
  let line = 0;
  return new TransformStream({
    transform(chunk, controller) {
      answer += chunk.byteLength;
      const end = chunk.lastIndexOf(NEW_LINE);
      line = end === -1 ? line + chunk.byteLength : chunk.byteLength - end - 1;
      if (line > LINE_BYTES_MAX) throw unusable(`a line of more than ${LINE_BYTES_MAX} bytes`);
      if (answer > ANSWER_BYTES_MAX) throw unusable(`more than ${ANSWER_BYTES_MAX} bytes`);
      controller.enqueue(chunk);
    },
  });
}

const NEW_LINE = 10;

const unusable = (what: string) =>
  new EngineError("model_error", `the model server gave an answer that can't be used: ${what}`);
