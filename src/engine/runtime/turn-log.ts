import type { Context } from "../context.ts";
import type { TurnChannel } from "../events/channel.ts";
import type { Event, EventPlace } from "../events/event.ts";
import { appendEvents, type Recorded, toEvents } from "../events/log.ts";
import type { Writes } from "../store.ts";

/** A running turn's way into its session's log: what is recorded becomes durable, then is told. */
export interface TurnLog {
  record(...recorded: readonly Recorded[]): void;
  /** Resolves when everything recorded so far is durable and the followers were told. */
  commit(): Promise<void>;
  /** For what may wait a moment for others: each transaction costs as much as several facts. */
  commitSoon(): void;
  /** Commits together with `work`, in one transaction. */
  commitWith<Result>(work: (tx: Writes) => Promise<Result>): Promise<Result>;
  /** A write failed: what this process knows is no longer what the log says. */
  isLost(): boolean;
  /** The last event that is durable. */
  last(): EventPlace;
}

/** Nobody notices that a tool's result came so much later. */
const SOON_MS = 20;

export function createTurnLog(
  ctx: Context,
  channel: TurnChannel,
  written: readonly Event[],
  /** What else follows from facts, in their transaction. */
  derive: (tx: Writes, added: readonly Event[]) => Promise<void> = nothing,
): TurnLog {
  let last: EventPlace = written.at(-1) ?? { seq: 0, id: "" };
  let last_seq = last.seq;
  let waiting: Recorded[] = [];
  let is_lost = false;
  let soon: NodeJS.Timeout | undefined;
  let tail: Promise<unknown> = Promise.resolve();
  channel.startAt(last_seq);

  const flush = async <Result>(work: (tx: Writes) => Promise<Result>): Promise<Result> => {
    clearTimeout(soon);
    soon = undefined;
    const events = toEvents(ctx, last_seq, waiting);
    last_seq += events.length;
    waiting = [];
    try {
      const result = await ctx.write(async (tx) => {
        await appendEvents(tx, events);
        await derive(tx, events);
        return work(tx);
      });
      last = events.at(-1) ?? last;
      channel.publish(events);
      return result;
    } catch (error) {
      is_lost = true;
      throw error;
    }
  };
  // One after another: what another run's commit took along is durable only when that one is.
  const after = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = tail.then(work);
    tail = result;
    return result;
  };

  const commit = () => after(async () => (waiting.length > 0 ? flush(nothing) : undefined));

  return {
    record: (...recorded) => void waiting.push(...recorded),
    commit,
    commitSoon() {
      // Should it fail, so does the turn's next commit, which somebody waits for.
      soon ??= setTimeout(() => void commit().catch(() => undefined), SOON_MS);
    },
    commitWith: (work) => after(() => flush(work)),
    isLost: () => is_lost,
    last: () => last,
  };
}

const nothing = async (): Promise<void> => undefined;
