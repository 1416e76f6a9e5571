import { z } from "zod";
import { getSession, listSessions } from "#engine/sessions/operations.ts";
import { SessionKey } from "#engine/sessions/session.ts";
import { linesOf, type McpTool, renamed, tool } from "../tool.ts";

interface Page {
  readonly total: number;
  readonly data: readonly { id: string; title?: string; status: string; updated_at: string }[];
}

export const sessionTools: readonly McpTool[] = [
  tool("admin_list_sessions", listSessions, z.object({}), {
    description: "List the sessions that were last active",
    toText: (_structured, output) => {
      const { data, total } = output as Page;
      const lines = data.map(
        ({ id, title, status, updated_at }) =>
          `${id}: ${title ?? "untitled"}, ${status}, ${updated_at}`,
      );
      return `${linesOf(lines, "sessions")}${total > data.length ? `\n(${total} in all)` : ""}`;
    },
  }),
  tool("admin_get_session", getSession, z.object({ session_id: SessionKey.shape.id }), {
    toInput: renamed({ session_id: "id" }),
  }),
];
