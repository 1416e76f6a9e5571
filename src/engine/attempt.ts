import type { Context } from "./context.ts";

/** Work that nobody asked for must not take the process down; the next round tries again. */
export async function attempt(ctx: Context, work: (ctx: Context) => Promise<void>): Promise<void> {
  try {
    await work(ctx);
  } catch (error) {
    ctx.services.log.error({ err: error, work: work.name }, "recurring work failed");
  }
}
