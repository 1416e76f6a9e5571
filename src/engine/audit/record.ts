import type { Context } from "../context.ts";
import { type AuditEntry, actionOf, actorOf, type Door } from "./audit.ts";

/**
 * The context in which a changing operation runs: its first transaction also holds the entry that tells
 * of it. So no change goes unrecorded, and none is recorded that was refused.
 */
export function audited(
  ctx: Context,
  { name }: { readonly name: string },
  door: Door = { resource: name, details: {} },
): Context {
  let is_recorded = false;
  return {
    ...ctx,
    write: (work) =>
      ctx.write(async (tx) => {
        const result = await work(tx);
        if (!is_recorded) await tx.audit.append(entryOf(ctx, actionOf(name), door));
        is_recorded = true;
        return result;
      }),
  };
}

export function entryOf(
  ctx: Pick<Context, "newId" | "now" | "principal">,
  action: string,
  { resource, details }: Door,
): AuditEntry {
  return {
    id: ctx.newId(),
    timestamp: ctx.now().toISOString(),
    ...actorOf(ctx.principal),
    action,
    resource,
    details: JSON.stringify(details),
  };
}
