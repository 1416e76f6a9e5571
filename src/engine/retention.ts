import type { MemoryConfig } from "./capabilities/capability.ts";
import type { Context } from "./context.ts";

const DAY_MS = 86_400_000;

/**
 * Deletes what is kept for a time only: memories by their agent's capability, request keys after a day, and
 * what OAuth issued a day after it stopped working. Each kind by itself: others write in between.
 */
export async function forgetOutdated(ctx: Context): Promise<void> {
  const before = (days: number) => new Date(ctx.now().getTime() - days * DAY_MS).toISOString();
  await ctx.write((tx) => tx.idempotency.deleteBefore(before(1)));
  // A day longer than they work, so that one that comes too late is told so.
  await ctx.write((tx) => tx.oauth_grants.deleteExpired(before(1)));
  await ctx.write((tx) => tx.knowledge_files.deleteUnfinished(before(1)));
  for (const { agent_id, config } of await ctx.read.capabilities.listByType("memory")) {
    const { retention_days = 0, unlimited_retention = false }: MemoryConfig = config;
    if (retention_days === 0 || unlimited_retention) continue;
    await ctx.write((tx) => tx.memory.deleteBefore(agent_id, before(retention_days)));
  }
}
