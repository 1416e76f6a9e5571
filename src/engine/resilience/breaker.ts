import { z } from "zod";

/** So many failures within so long keep callers away for a while (contract 4.16). */
const FAILURES_MAX = 3;
const FAILURES_WITHIN_MS = 60_000;
const OPEN_MS = 120_000;

export const BreakerStatus = z.enum(["closed", "open", "half_open"]);
export type BreakerStatus = z.infer<typeof BreakerStatus>;

/** What is known of one thing that may fail; times are milliseconds of the engine's clock. */
export interface Breaker {
  /** When it failed lately, oldest first. */
  readonly failures: readonly number[];
  readonly last_failure_ms: number | undefined;
  /** Since when callers are kept away; undefined when they are not. */
  readonly opened_ms: number | undefined;
  /** Whether one caller tries whether it works again. */
  readonly is_probing: boolean;
}

export const CLOSED: Breaker = {
  failures: [],
  last_failure_ms: undefined,
  opened_ms: undefined,
  is_probing: false,
};

export function statusOf({ opened_ms }: Breaker, now_ms: number): BreakerStatus {
  if (opened_ms === undefined) return "closed";
  return now_ms - opened_ms >= OPEN_MS ? "half_open" : "open";
}

/** Whether one more call may be made now: while half open, a single one. */
export function mayCall(breaker: Breaker, now_ms: number): boolean {
  const status = statusOf(breaker, now_ms);
  return status === "closed" || (status === "half_open" && !breaker.is_probing);
}

/** A call is about to be made. */
export const begun = (breaker: Breaker, now_ms: number): Breaker =>
  statusOf(breaker, now_ms) === "half_open" ? { ...breaker, is_probing: true } : breaker;

/** A probe that began before somebody reset the breaker is an ordinary call. */
const endsProbe = ({ is_probing }: Breaker, was_probe: boolean): boolean => was_probe && is_probing;

/** The call worked. One that began before others failed says nothing of now. */
export const succeeded = (breaker: Breaker, was_probe: boolean): Breaker => {
  if (endsProbe(breaker, was_probe)) return { ...CLOSED, last_failure_ms: breaker.last_failure_ms };
  return breaker.opened_ms === undefined ? { ...breaker, failures: [] } : breaker;
};

export function failed(breaker: Breaker, was_probe: boolean, now_ms: number): Breaker {
  const failures = [...recentFailures(breaker, now_ms), now_ms].slice(-FAILURES_MAX);
  const counted = { ...breaker, failures, last_failure_ms: now_ms };
  if (endsProbe(breaker, was_probe)) return { ...counted, opened_ms: now_ms, is_probing: false };
  if (breaker.opened_ms !== undefined || failures.length < FAILURES_MAX) return counted;
  return { ...counted, opened_ms: now_ms };
}

const recentFailures = ({ failures }: Breaker, now_ms: number): readonly number[] =>
  failures.filter((moment) => now_ms - moment < FAILURES_WITHIN_MS);

/** The failures that count now; those that opened it count until it is closed. */
export const failureCount = (breaker: Breaker, now_ms: number): number =>
  breaker.opened_ms === undefined
    ? recentFailures(breaker, now_ms).length
    : breaker.failures.length;

/** The call ended without telling anything, as when its caller gave up. */
export const abandoned = (breaker: Breaker, was_probe: boolean): Breaker =>
  endsProbe(breaker, was_probe) ? { ...breaker, is_probing: false } : breaker;

/** Seconds until a probe may be made. */
export const retryAfterSeconds = ({ opened_ms }: Breaker, now_ms: number): number =>
  Math.max(1, Math.ceil(((opened_ms ?? now_ms) + OPEN_MS - now_ms) / 1000));
