export interface Clock {
  now(): Date;
  /** Moves time on. */
  pass(milliseconds: number): void;
}

/** Time that passes only when a test says so. */
export function createClock(start = "2026-03-01T12:00:00.000Z"): Clock {
  let moment = Date.parse(start);
  return {
    now: () => new Date(moment),
    pass(milliseconds) {
      moment += milliseconds;
    },
  };
}
