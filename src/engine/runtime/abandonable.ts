/** What made an abandoned piece of work end: the signal of its surroundings, or its own time. */
export const TIMED_OUT = Symbol("timed out");

/**
 * Work that can be abandoned: rejects with the signal's reason, or with TIMED_OUT after `timeout_ms`,
 * whether or not the work listens. Nothing of it stays behind: a platform timeout signal would hold on
 * to all it can reach until its time is over.
 */
export async function abandonable<Result>(
  outer: AbortSignal,
  timeout_ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  outer.throwIfAborted();
  const abort = new AbortController();
  const abandoned = Promise.withResolvers<never>();
  const stop = (reason: unknown): void => {
    abandoned.reject(reason);
    abort.abort(reason);
  };
  const onOuter = () => stop(outer.reason);
  const timer = setTimeout(() => stop(TIMED_OUT), timeout_ms);
  outer.addEventListener("abort", onOuter, { once: true });
  try {
    return await Promise.race([work(abort.signal), abandoned.promise]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", onOuter);
  }
}
