import { monitorEventLoopDelay } from "node:perf_hooks";

export interface LoopDelay {
  readonly p99_ms: number;
  readonly longest_ms: number;
}

const NANOSECONDS = 1e6;

/** How long others waited for the event loop while this was done: what every open stream feels. */
export async function whileWatched<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } & LoopDelay> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  // The first tick is not counted: what holds the loop from the first step on is.
  await new Promise((done) => setTimeout(done, 5));
  const result = await work();
  await new Promise((done) => setTimeout(done, 5));
  delay.disable();
  return {
    result,
    p99_ms: delay.percentile(99) / NANOSECONDS,
    longest_ms: delay.max / NANOSECONDS,
  };
}
