import { z } from "zod";

export const LimitScope = z.enum(["tenant", "per_user"]);
export type LimitScope = z.infer<typeof LimitScope>;

/** How much may be used in a window that begins with its first use (contract 2.19, 4.12). */
export const UsageLimit = z.object({
  scope: LimitScope,
  unit: z.enum(["turns", "steps"]),
  limit_value: z.int().positive(),
  interval_seconds: z.int().positive(),
  enabled: z.boolean(),
});
export type UsageLimit = z.infer<typeof UsageLimit>;

export const UsageLimitPut = UsageLimit.extend({ enabled: z.boolean().optional() });
export const UsageLimitKey = z.object({ scope: LimitScope });

/** What a subject used since `started_at`. */
export interface UsageCounter {
  readonly subject: string;
  readonly started_at: string;
  readonly turns: number;
  readonly steps: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

export interface UsageReads {
  listLimits(): Promise<UsageLimit[]>;
  getCounter(subject: string): Promise<UsageCounter | undefined>;
}

export interface UsageWrites extends UsageReads {
  putLimit(limit: UsageLimit): Promise<void>;
  deleteLimit(scope: LimitScope): Promise<boolean>;
  putCounter(counter: UsageCounter): Promise<void>;
}

/** Everything since the installation began. */
export const TOTAL = "total";

/** Whose counter a limit reads. */
export const subjectOf = (scope: LimitScope, user_sub: string): string =>
  scope === "tenant" ? "tenant" : `user:${user_sub}`;

export const newCounter = (subject: string, started_at: string): UsageCounter => ({
  subject,
  started_at,
  turns: 0,
  steps: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
});

/** A window that began longer ago than its limit's interval is over, and counts from zero again. */
export function isOver(
  counter: UsageCounter,
  { interval_seconds }: UsageLimit,
  now: Date,
): boolean {
  return now.getTime() - Date.parse(counter.started_at) > interval_seconds * 1000;
}
