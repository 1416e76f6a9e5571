import { EngineError } from "../kernel/error.ts";
import {
  abandoned,
  type Breaker,
  type BreakerStatus,
  begun,
  CLOSED,
  failed,
  failureCount,
  mayCall,
  retryAfterSeconds,
  statusOf,
  succeeded,
} from "./breaker.ts";

export interface BreakerState {
  readonly name: string;
  readonly state: BreakerStatus;
  readonly failure_count: number;
  readonly last_failure_ms: number | undefined;
}

/** The breakers of this process, by what they watch; one exists from its first use on. */
export interface Breakers {
  /**
   * Does work that may fail for reasons outside. Throws `unavailable` instead while the breaker is
   * open. `isFailure` says what counts against it; a caller that gave up does not. The work must end.
   */
  guard<Result>(
    name: string,
    work: () => Promise<Result>,
    isFailure?: (error: unknown) => boolean,
  ): Promise<Result>;
  /** By name. */
  list(): BreakerState[];
  /** Closes it. False when there is none of this name. */
  reset(name: string): boolean;
  /** What it watched is gone. */
  forget(name: string): void;
}

export function createBreakers(now: () => Date): Breakers {
  const breakers = new Map<string, Breaker>();
  const now_ms = () => now().getTime();
  /** What a call reports after a reset or the end of its breaker is of the past. */
  const report = (name: string, change: (breaker: Breaker) => Breaker): void => {
    const breaker = breakers.get(name);
    if (breaker) breakers.set(name, change(breaker));
  };

  return {
    async guard(name, work, isFailure = isOutsideFailure) {
      const before = breakers.get(name) ?? CLOSED;
      if (!mayCall(before, now_ms())) throw unavailable(name, before, now_ms());
      const started = begun(before, now_ms());
      const was_probe = started.is_probing;
      breakers.set(name, started);
      try {
        const result = await work();
        report(name, (breaker) => succeeded(breaker, was_probe));
        return result;
      } catch (error) {
        report(name, (breaker) =>
          isFailure(error) ? failed(breaker, was_probe, now_ms()) : abandoned(breaker, was_probe),
        );
        throw error;
      }
    },
    list: () =>
      [...breakers]
        .map(([name, breaker]) => ({
          name,
          state: statusOf(breaker, now_ms()),
          failure_count: failureCount(breaker, now_ms()),
          last_failure_ms: breaker.last_failure_ms,
        }))
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
    reset(name) {
      if (!breakers.has(name)) return false;
      breakers.set(name, CLOSED);
      return true;
    },
    forget: (name) => void breakers.delete(name),
  };
}

const isOutsideFailure = (error: unknown): boolean =>
  !(error instanceof EngineError && error.code === "cancelled") &&
  !(error instanceof Error && error.name === "AbortError");

const unavailable = (name: string, breaker: Breaker, now_ms: number): EngineError =>
  new EngineError("unavailable", `${name} failed repeatedly and is not called for now`, {
    retry_after_s: retryAfterSeconds(breaker, now_ms),
  });
