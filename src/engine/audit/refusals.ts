import type { Context } from "../context.ts";
import { EngineError } from "../kernel/error.ts";
import { AUTH_FAIL } from "./audit.ts";
import { entryOf } from "./record.ts";

/** Somebody who tries tokens by the thousand must not fill the disk with the record of it. */
const NOTE_EVERY_MS = 1_000;

/** Records refused credentials, at most one entry a second with the number of those since the last. */
export function refusalNoter(ctx: Context): (refusal: unknown) => Promise<never> {
  let noted_ms = Number.NEGATIVE_INFINITY;
  let unnoted = 0;
  return async (refusal) => {
    if (refusal instanceof EngineError && refusal.code === "unauthorized") {
      unnoted += 1;
      const now_ms = ctx.now().getTime();
      if (now_ms - noted_ms >= NOTE_EVERY_MS) {
        const details = { reason: refusal.message, refused: unnoted };
        noted_ms = now_ms;
        unnoted = 0;
        const entry = entryOf(ctx, AUTH_FAIL, { resource: "authentication", details });
        await ctx.write((tx) => tx.audit.append(entry));
      }
    }
    throw refusal;
  };
}
