import { listAudit } from "#engine/audit/operations.ts";
import { get, type Route } from "../http/route.ts";

export const auditRoutes: readonly Route[] = [get("/audit", listAudit)];
