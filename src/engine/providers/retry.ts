import { APICallError } from "@ai-sdk/provider";
import { retryAfterSeconds, systemCode } from "./errors.ts";

/** Before the second and the third attempt. */
const BACKOFFS_MS = [500, 1_000];

/** A server that asks for a longer pause is better told to the caller at once. */
const RETRY_AFTER_MAX_S = 20;

/** What may pass: a busy or broken server. Everything else would fail again in the same way. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529]);

/**
 * Opens a model's stream, again when the server could not be reached or was busy. Only the opening is
 * tried again: once an answer has begun, part of it may have been shown. Throws the last failure, or the
 * signal's reason as soon as it is aborted.
 */
export async function withRetries<Opened>(
  open: () => PromiseLike<Opened>,
  signal: AbortSignal,
): Promise<Opened> {
  for (const backoff_ms of BACKOFFS_MS) {
    try {
      return await open();
    } catch (error) {
      signal.throwIfAborted();
      const pause_ms = pauseAfter(error, backoff_ms);
      if (pause_ms === undefined) throw error;
      await pause(pause_ms, signal);
    }
  }
  return open();
}

/** Undefined when another attempt would be of no use. */
function pauseAfter(error: unknown, backoff_ms: number): number | undefined {
  if (!mayPass(error)) return undefined;
  const asked_s = retryAfterSeconds(error) ?? 0;
  if (asked_s > RETRY_AFTER_MAX_S) return undefined;
  return Math.max(backoff_ms, asked_s * 1_000);
}

function mayPass(error: unknown): boolean {
  if (APICallError.isInstance(error) && error.statusCode !== undefined) {
    return PASSING_STATUSES.has(error.statusCode);
  }
  return systemCode(error) !== undefined;
}

function pause(duration_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, duration_ms);
    signal.addEventListener("abort", abort, { once: true });
  });
}
