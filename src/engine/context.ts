import type { Principal } from "./kernel/principal.ts";
import type { Services } from "./services.ts";
import type { Reads, Writes } from "./store.ts";

/** What an operation has in its hands: who asks, the store, the clock and the engine's services. */
export interface Context {
  readonly principal: Principal;
  readonly read: Reads;
  write<Result>(work: (tx: Writes) => Promise<Result>): Promise<Result>;
  now(): Date;
  newId(): string;
  readonly services: Services;
  /**
   * For what a change sets going in this process, after the operation's own `write`: it gets a context that
   * outlives the operation, and never happens when the change is undone with others.
   */
  onCommit(effect: Effect): void;
}

type Effect = (ctx: Context) => void;

/**
 * Several operations as one: in one transaction, and what each wants done afterwards only once that is durable.
 */
export async function together<Result>(
  ctx: Context,
  work: (inside: Context, tx: Writes) => Promise<Result>,
): Promise<Result> {
  const effects: Effect[] = [];
  const result = await ctx.write((tx) => {
    const onCommit = (effect: Effect) => void effects.push(effect);
    return work({ ...ctx, read: tx, write: (part) => part(tx), onCommit }, tx);
  });
  for (const effect of effects) ctx.onCommit(effect);
  return result;
}
