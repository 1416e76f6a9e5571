import { setImmediate } from "node:timers/promises";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { EngineError } from "../kernel/error.ts";
import { withRetries } from "./retry.ts";

export interface GuardOptions {
  /** A stream that is silent for longer has failed. */
  readonly idle_ms: number;
  readonly signal: AbortSignal;
  /** Set when a failure is what is asked for: the stream is opened once. */
  readonly without_retries?: true;
}

/** What one step may say, in characters: a server that never stops must not fill the memory. */
const STEP_LENGTH_MAX = 8 * 1024 * 1024;

/** More calls than this in one step are a model that has lost its way. */
const STEP_CALLS_MAX = 128;

/** Begins a model's stream; the signal ends it, and with it the request behind it. */
export type OpenStream = (
  signal: AbortSignal,
) => PromiseLike<{ readonly stream: ReadableStream<LanguageModelV4StreamPart> }>;

/**
 * Opens a model's stream, again where that may help (see `withRetries`), and reads it to its end. The
 * silence before the first part counts from the first attempt. Throws EngineError `timeout` when the server falls
 * silent or never answers, `model_error` when it never ends, the signal's reason when it is aborted, and
 * whatever the provider or `take` throws.
 */
export async function readParts(
  open: OpenStream,
  { idle_ms, signal, without_retries }: GuardOptions,
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
    const begin = () => open(request.signal);
    const { stream } = await (without_retries ? begin() : withRetries(begin, request.signal));
    const requireMeasure = createMeasure();
    let has_begun = false;
    for await (const part of stream) {
      if (request.signal.aborted) return;
      timer.refresh();
      requireMeasure(part);
      take(part);
      if (has_begun || !("delta" in part)) continue;
      has_begun = true;
      // Sockets are written when the event loop goes on: the first word leaves before the rest is read.
      await setImmediate();
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

/** Throws once the parts it was given are too many. */
function createMeasure(): (part: LanguageModelV4StreamPart) => void {
  let length = 0;
  let calls = 0;
  return (part) => {
    length += lengthOf(part);
    if (length > STEP_LENGTH_MAX) throw excessive(`${STEP_LENGTH_MAX} characters`);
    if (part.type === "tool-call") calls += 1;
    if (calls > STEP_CALLS_MAX) throw excessive(`${STEP_CALLS_MAX} tool calls`);
  };
}

function lengthOf(part: LanguageModelV4StreamPart): number {
  if (part.type === "tool-call") return part.input.length;
  return "delta" in part ? part.delta.length : 0;
}

const silent = (idle_ms: number) =>
  new EngineError("timeout", `the model said nothing for ${Math.round(idle_ms / 1000)} seconds`);

const excessive = (what: string) =>
  new EngineError("model_error", `the model said more than ${what} in one step`);
