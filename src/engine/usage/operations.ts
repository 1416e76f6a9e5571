import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { defineOperation } from "../operation.ts";
import { TOTAL, UsageLimit, UsageLimitKey, UsageLimitPut } from "./usage.ts";

const Metric = z.object({
  name: z.string(),
  label: z.string(),
  used: z.int(),
  /** -1: unlimited. */
  limit: z.int(),
  unit: z.string(),
});

const UsageTotals = z.object({ plan: z.string(), metrics: z.array(Metric) });

const metric = (name: string, label: string, used: number, unit: string) => ({
  name,
  label,
  used,
  limit: -1,
  unit,
});

export const getUsage = defineOperation({
  name: "usage.get",
  summary: "Read usage totals",
  scope: "authenticated",
  effect: "read",
  input: z.object({}),
  output: UsageTotals,
  run: async ({ read }) => {
    const [agents, schemas, sessions, total] = await Promise.all([
      read.agents.count(),
      read.schemas.list(),
      read.sessions.count({}),
      read.usage.getCounter(TOTAL),
    ]);
    return {
      plan: "self-hosted",
      metrics: [
        metric("agents", "Agents", agents, "agents"),
        metric("schemas", "Schemas", schemas.length, "schemas"),
        metric("sessions", "Sessions", sessions, "sessions"),
        metric("turns", "Turns", total?.turns ?? 0, "turns"),
        metric("steps", "Steps", total?.steps ?? 0, "steps"),
        metric("prompt_tokens", "Prompt tokens", total?.prompt_tokens ?? 0, "tokens"),
        metric("completion_tokens", "Completion tokens", total?.completion_tokens ?? 0, "tokens"),
      ],
    };
  },
});

export const listUsageLimits = defineOperation({
  name: "usage_limits.list",
  summary: "List usage limits",
  scope: "admin",
  effect: "read",
  input: z.object({}),
  output: z.array(UsageLimit),
  run: ({ read }) => read.usage.listLimits(),
});

export const putUsageLimit = defineOperation({
  name: "usage_limits.put",
  summary: "Create or replace the usage limit of one scope",
  scope: "admin",
  effect: "write",
  input: UsageLimitPut,
  output: UsageLimit,
  run: (ctx, { enabled = true, ...fields }) =>
    ctx.write(async (tx) => {
      const limit = { ...fields, enabled };
      await tx.usage.putLimit(limit);
      return limit;
    }),
});

export const deleteUsageLimit = defineOperation({
  name: "usage_limits.delete",
  summary: "Remove the usage limit of one scope",
  scope: "admin",
  effect: "destroy",
  input: UsageLimitKey,
  output: z.object({ status: z.literal("deleted"), scope: z.string() }),
  run: (ctx, { scope }) =>
    ctx.write(async (tx) => {
      if (!(await tx.usage.deleteLimit(scope))) throw notFound("usage limit", scope);
      return { status: "deleted" as const, scope };
    }),
});
