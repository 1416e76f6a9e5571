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
}

/** The context of work that takes part in a transaction which is open already. */
export const joined = (ctx: Context, tx: Writes): Context => ({
  ...ctx,
  read: tx,
  write: (work) => work(tx),
});
