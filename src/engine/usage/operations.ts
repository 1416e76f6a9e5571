import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { defineOperation } from "../operation.ts";
import type { Reads } from "../store.ts";
import { isOver, subjectOf, TOTAL, UsageLimit, UsageLimitKey, UsageLimitPut } from "./usage.ts";

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

/** A null limit is none. */
const Used = z.object({ used: z.int(), limit: z.int().nullable() });

const UsageStatus = z.object({
  active_users: Used,
  schemas: Used,
  knowledge_documents: Used,
  turns: Used,
});

/** Visitors count as active for so long after their last turn. */
const ACTIVE_MS = 30 * 86_400_000;

const unlimited = (used: number) => ({ used, limit: null });

export const getUsageStatus = defineOperation({
  name: "usage.status",
  summary: "Read what is used of what is limited, for a dashboard",
  scope: "settings:read",
  effect: "read",
  input: z.object({}),
  output: UsageStatus,
  run: async ({ read, now }) => {
    const since = new Date(now().getTime() - ACTIVE_MS).toISOString();
    const [users, schemas, documents, turns] = await Promise.all([
      read.sessions.countUsers(since),
      read.schemas.list(),
      countDocuments(read),
      usedTurns(read, now()),
    ]);
    return {
      active_users: unlimited(users),
      schemas: unlimited(schemas.length),
      knowledge_documents: unlimited(documents),
      turns,
    };
  },
});

async function countDocuments({ knowledge_bases, knowledge_files }: Reads): Promise<number> {
  const bases = await knowledge_bases.list();
  const counts = await Promise.all(bases.map(({ id }) => knowledge_files.count(id)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Of the installation's limit when it counts turns, else all there ever were. */
async function usedTurns({ usage }: Pick<Reads, "usage">, now: Date) {
  const limits = await usage.listLimits();
  const limit = limits.find(
    ({ scope, unit, enabled }) => scope === "tenant" && unit === "turns" && enabled,
  );
  if (!limit) return unlimited((await usage.getCounter(TOTAL))?.turns ?? 0);
  const counter = await usage.getCounter(subjectOf("tenant", ""));
  const used = counter && !isOver(counter, limit, now) ? counter.turns : 0;
  return { used, limit: limit.limit_value };
}

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
