import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { EngineError } from "../kernel/error.ts";

export interface GuardOptions {
  /** A stream that is silent for longer has failed. */
  readonly idle_ms: number;
  readonly signal: AbortSignal;
}

/** What one step may say, in characters: a server that never stops must not fill the memory. */
const STEP_LENGTH_MAX = 8 * 1024 * 1024;

/** Begins a model's stream; the signal ends it, and with it the request behind it. */
export type OpenStream = (
  signal: AbortSignal,
) => PromiseLike<{ readonly stream: ReadableStream<LanguageModelV4StreamPart> }>;

/**
 * Opens a model's stream and reads it to its end. Throws EngineError `timeout` when the server falls
 * silent or never answers, `model_error` when it never ends, the signal's reason when it is aborted, and
 * whatever the provider or `take` throws.
 */
export async function readParts(
  open: OpenStream,
  { idle_ms, signal }: GuardOptions,
  take: (part: LanguageModelV4StreamPart) => void,
): Promise<void> {
  signal.throwIfAborted();
  const request = new AbortController();
  const stopped = Promise.withResolvers<never>();
  const stop = (reason: unknown) => {
    stopped.reject(reason);
    request.abort(reason);
  };
  // One timer for the whole stream, pushed back by each part.
  const timer = setTimeout(() => stop(silent(idle_ms)), idle_ms);
  const abort = () => stop(signal.reason);
  signal.addEventListener("abort", abort, { once: true });

  const drain = async () => {
    const { stream } = await open(request.signal);
    let length = 0;
    for await (const part of stream) {
      if (request.signal.aborted) return;
      timer.refresh();
      length += lengthOf(part);
      if (length > STEP_LENGTH_MAX) throw endless();
      take(part);
    }
  };

  try {
    await Promise.race([drain(), stopped.promise]);
  } catch (error) {
    request.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

const lengthOf = (part: LanguageModelV4StreamPart): number =>
  "delta" in part ? part.delta.length : 0;

const silent = (idle_ms: number) =>
  new EngineError("timeout", `the model said nothing for ${Math.round(idle_ms / 1000)} seconds`);

const endless = () =>
  new EngineError(
    "model_error",
    `the model said more than ${STEP_LENGTH_MAX} characters in one step`,
  );
