import { z } from "zod";
import { defineOperation } from "../operation.ts";

/** `degraded` is served with 503 (contract 2.22). */
const Health = z.object({
  status: z.enum(["ok", "degraded"]),
  version: z.string(),
  uptime: z.string(),
  agents_count: z.int(),
  database: z.string(),
  platform_default_model: z.boolean(),
});

export const getHealth = defineOperation({
  name: "health.get",
  summary: "Liveness and readiness",
  scope: "public",
  effect: "read",
  input: z.object({}),
  output: Health,
  run: async ({ read, now, services }) => {
    const uptime = formatUptime(now().getTime() - services.started_at.getTime());
    const common = { version: services.version, uptime };
    try {
      const [agents_count, model] = await Promise.all([
        read.agents.count(),
        read.models.getDefault(),
      ]);
      const platform_default_model = model !== undefined;
      return {
        ...common,
        status: "ok" as const,
        agents_count,
        database: "ok",
        platform_default_model,
      };
    } catch (error) {
      services.log.error({ err: error }, "health check failed");
      const failed = { agents_count: 0, database: "error", platform_default_model: false };
      return { ...common, status: "degraded" as const, ...failed };
    }
  },
});

/** A duration like `1h2m3s`. */
export function formatUptime(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor((seconds % 3600) / 60);
  const parts = [hours && `${hours}h`, (hours || minutes) && `${minutes}m`, `${seconds % 60}s`];
  return parts.filter(Boolean).join("");
}
