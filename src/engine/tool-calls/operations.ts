import { sliceOf, toPage } from "../kernel/page.ts";
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
    const filter = {
      session_id,
      agent_name: agent,
      tool_name: tool,
      status,
      user_id,
      from: boundary("from", query.from),
      to: boundary("to", query.to),
    };
    const [data, total] = await Promise.all([
      read.tool_calls.list(filter, sliceOf(query)),
      read.tool_calls.count(filter),
    ]);
    return toPage(data, total, query);
  },
});
