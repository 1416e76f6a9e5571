import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { EngineError } from "../kernel/error.ts";

export interface GuardOptions {
  /** A stream that is silent for longer has failed. */
  readonly idle_ms: number;
  readonly signal: AbortSignal;
}

/** What one step may say, in characters: a server that never stops must not fill the memory. */
const STEP_LENGTH_MAX = 8 * 1024 * 1024;

/**
 * Reads a model's stream to its end. Throws EngineError `timeout` when it falls silent, `model_error`
 * when it never ends, the signal's reason when it is aborted, and whatever the stream or `take` throws.
 */
export async function readParts(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  { idle_ms, signal }: GuardOptions,
  take: (part: LanguageModelV4StreamPart) => void,
): Promise<void> {
  signal.throwIfAborted();
  const reader = stream.getReader();
  let length = 0;
  let stop: ((reason: unknown) => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  // One timer for the whole stream, pushed back by each part.
  const timer = setTimeout(() => stop?.(silent(idle_ms)), idle_ms);
  const abort = () => stop?.(signal.reason);
  signal.addEventListener("abort", abort, { once: true });

  const drain = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      timer.refresh();
      length += lengthOf(value);
      if (length > STEP_LENGTH_MAX) throw endless();
      take(value);
    }
  };

  try {
    await Promise.race([drain(), stopped]);
  } catch (error) {
    reader.cancel(error).catch(() => undefined);
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
