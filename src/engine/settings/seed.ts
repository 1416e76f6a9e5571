import type { Context } from "../context.ts";
import { SEEDED_SETTINGS } from "./setting.ts";

/** Once for each: what an administrator set is left as it is. */
export async function seedSettings(ctx: Context): Promise<void> {
  const known = new Set((await ctx.read.settings.list()).map(({ key }) => key));
  const missing = Object.entries(SEEDED_SETTINGS).filter(([key]) => !known.has(key));
  if (missing.length === 0) return;
  const updated_at = ctx.now().toISOString();
  await ctx.write(async (tx) => {
    for (const [key, value] of missing) await tx.settings.put({ key, value, updated_at });
  });
}
