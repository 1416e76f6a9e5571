import { readPage } from "../kernel/page.ts";
import { defineOperation } from "../operation.ts";
import { boundary } from "../sessions/dates.ts";
import { AuditPage, AuditQuery } from "./audit.ts";

export const listAudit = defineOperation({
  name: "audit.list",
  summary: "List audit entries, newest first",
  scope: "audit:read",
  effect: "read",
  input: AuditQuery,
  output: AuditPage,
  run: async ({ read }, query) => {
    const { actor_type, action, resource } = query;
    const filter = {
      actor_type: actor_type || undefined,
      action: action || undefined,
      resource: resource || undefined,
      from: boundary("from", query.from),
      to: boundary("to", query.to),
    };
    return readPage(read.audit, filter, query);
  },
});
