import { readPage } from "../kernel/page.ts";
import { defineOperation } from "../operation.ts";
import { boundary } from "../sessions/dates.ts";
import { ToolCallPage, ToolCallQuery } from "./tool-call.ts";

export const listToolCalls = defineOperation({
  name: "tool_calls.list",
  summary: "List tool calls, newest first",
  scope: "authenticated",
  effect: "read",
  input: ToolCallQuery,
  output: ToolCallPage,
  run: async ({ read }, query) => {
    const { session_id, agent, tool, status, user_id } = query;
    // An empty filter, as a form sends it, is none.
    const filter = {
      session_id: session_id?.toLowerCase() || undefined,
      agent_name: agent || undefined,
      tool_name: tool || undefined,
      status: status || undefined,
      user_id: user_id || undefined,
      from: boundary("from", query.from),
      to: boundary("to", query.to),
    };
    return readPage(read.tool_calls, filter, query);
  },
});
