import {
  deleteUsageLimit,
  getUsage,
  getUsageStatus,
  listUsageLimits,
  putUsageLimit,
} from "#engine/usage/operations.ts";
import { del, get, put, type Route } from "../http/route.ts";

export const usageRoutes: readonly Route[] = [
  get("/usage", getUsage),
  get("/usage-status", getUsageStatus),
  get("/admin/usage-limits", listUsageLimits),
  put("/admin/usage-limits", putUsageLimit),
  del("/admin/usage-limits/:scope", deleteUsageLimit, { status: 200 }),
];
