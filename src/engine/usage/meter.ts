import type { Context } from "../context.ts";
import type { Usage } from "../events/event.ts";
import { EngineError } from "../kernel/error.ts";
import type { Reads, Writes } from "../store.ts";
import {
  isOver,
  newCounter,
  subjectOf,
  TOTAL,
  type UsageCounter,
  type UsageLimit,
} from "./usage.ts";

/** What one request used. A turn that said nothing and a resumed one count no turn (contract 4.12). */
export interface Used {
  readonly turns: 0 | 1;
  readonly steps: number;
  readonly usage: Usage;
}

/** Throws `usage_limited` (402) that tells used, limit, unit and scope. */
export async function requireAllowance(
  { usage }: Pick<Reads, "usage">,
  user_sub: string,
  now: Date,
): Promise<void> {
  for (const limit of await usage.listLimits()) {
    if (!limit.enabled) continue;
    const counter = await usage.getCounter(subjectOf(limit.scope, user_sub));
    if (!counter || isOver(counter, limit, now)) continue;
    const used = counter[limit.unit];
    if (used >= limit.limit_value) throw limited(limit, used, counter, now);
  }
}

function limited(limit: UsageLimit, used: number, counter: UsageCounter, now: Date): EngineError {
  const { scope, unit, limit_value, interval_seconds } = limit;
  const ends_ms = Date.parse(counter.started_at) + interval_seconds * 1000;
  return new EngineError(
    "usage_limited",
    `usage limit reached: ${used} of ${limit_value} ${unit} used (${scope})`,
    { retry_after_s: Math.max(1, Math.ceil((ends_ms - now.getTime()) / 1000)) },
  );
}

interface Payer {
  readonly user_sub: string;
  /** The caller's own key paid for it: limits don't count it (contract 4.1). */
  readonly is_byok?: true | undefined;
}

/** Adds to the total and to the window of every limit; runs in the transaction that ends a turn. */
export async function settle(
  tx: Writes,
  { user_sub, is_byok }: Payer,
  used: Used,
  now: Date,
): Promise<void> {
  const fresh = (subject: string) => newCounter(subject, now.toISOString());
  await tx.usage.putCounter(add((await tx.usage.getCounter(TOTAL)) ?? fresh(TOTAL), used));
  if (is_byok) return;
  for (const limit of await tx.usage.listLimits()) {
    const subject = subjectOf(limit.scope, user_sub);
    const counter = await tx.usage.getCounter(subject);
    const current = counter && !isOver(counter, limit, now) ? counter : fresh(subject);
    await tx.usage.putCounter(add(current, used));
  }
}

const add = (counter: UsageCounter, { turns, steps, usage }: Used): UsageCounter => ({
  ...counter,
  turns: counter.turns + turns,
  steps: counter.steps + steps,
  prompt_tokens: counter.prompt_tokens + (usage.prompt_tokens ?? 0),
  completion_tokens: counter.completion_tokens + (usage.completion_tokens ?? 0),
});

/** By kind, since the installation began. Monitoring must go on telling the rest when the store is what fails. */
export async function usedTokens({ read, services }: Context): Promise<Record<string, number>> {
  try {
    const used = await read.usage.getCounter(TOTAL);
    return { prompt: used?.prompt_tokens ?? 0, completion: used?.completion_tokens ?? 0 };
  } catch (error) {
    services.log.error({ err: error }, "token totals can't be read");
    return {};
  }
}
