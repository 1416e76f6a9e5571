import { attempt } from "../attempt.ts";
import type { Context } from "../context.ts";
import { LEASE_MS } from "./live-turns.ts";

const CLAIMS_PER_TICK = 100;

/** The turns that run here go on being this process's. */
export async function keepLeases(ctx: Context): Promise<void> {
  const { turns } = ctx.services;
  const ids = turns.jobIds();
  if (ids.length === 0) return;
  const lease = { owner: turns.owner, until_ms: ctx.now().getTime() + LEASE_MS };
  await ctx.write((tx) => tx.jobs.extend(ids, lease));
}

/** Turns that wait for a process, and those whose process is gone. */
export async function takeUpTurns(ctx: Context): Promise<void> {
  const claimable = await ctx.read.jobs.listClaimable(ctx.now().getTime(), CLAIMS_PER_TICK);
  // One that can't be taken up must not hold up the others.
  for (const job of claimable)
    await attempt(ctx, function takeUp() {
      return ctx.services.turns.takeUp(ctx, job);
    });
}
