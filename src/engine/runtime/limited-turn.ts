import { createDeadline, type Deadline } from "./deadline.ts";
import type { StopReason, Turn } from "./turn.ts";

/** A turn as one sub-agent has it: it is over with the whole turn, or with the sub-agent's own time. */
export interface LimitedTurn {
  readonly turn: Turn;
  /** Lets go of the whole turn. */
  end(): void;
}

/** `duration_ms` 0 means that only the whole turn's time counts. */
export function limitTurn(whole: Turn, duration_ms: number): LimitedTurn {
  const abort = new AbortController();
  const stop = (reason: StopReason) => abort.abort(reason);
  const onWhole = () => stop(whole.signal.reason);
  if (whole.signal.aborted) onWhole();
  whole.signal.addEventListener("abort", onWhole, { once: true });
  const own = createDeadline(() => stop("deadline"));
  own.start(duration_ms);
  return {
    turn: { ...whole, signal: abort.signal, stop, deadline: heldTogether(own, whole.deadline) },
    end() {
      own.clear();
      whole.signal.removeEventListener("abort", onWhole);
    },
  };
}

/** Whoever waits for a person within stops the clocks of all that wait for it. */
const heldTogether = (own: Deadline, whole: Deadline): Deadline => ({
  ...own,
  hold() {
    const releases = [own.hold(), whole.hold()];
    return () => {
      for (const release of releases) release();
    };
  },
});
