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
