import { and, count, desc, eq, gte, lte, sql } from "drizzle-orm";
import type { ToolCallFilter, ToolCallWrites } from "#engine/tool-calls/tool-call.ts";
import type { Db } from "./database.ts";
import { toolCalls } from "./record-tables.ts";
import { agents, sessions } from "./tables.ts";

const matching = (filter: ToolCallFilter) => {
  const { session_id, agent_name, tool_name, status, user_id, from, to } = filter;
  return and(
    session_id === undefined ? undefined : eq(toolCalls.session_id, session_id),
    agent_name === undefined ? undefined : eq(toolCalls.agent_name, agent_name),
    tool_name === undefined ? undefined : eq(toolCalls.tool_name, tool_name),
    status === undefined ? undefined : sql`${toolCalls.status} = ${status}`,
    user_id === undefined ? undefined : eq(toolCalls.user_id, user_id),
    from === undefined ? undefined : gte(toolCalls.created_at, from),
    to === undefined ? undefined : lte(toolCalls.created_at, to),
  );
};

export function toolCallRepository(db: Db): ToolCallWrites {
  const placeholder = sql.placeholder;
  const begin = db
    .insert(toolCalls)
    .values({
      id: placeholder("id"),
      session_id: placeholder("session_id"),
      call_id: placeholder("call_id"),
      agent_name: sql`coalesce((select ${agents.name} from ${agents} where ${agents.id} = ${placeholder("agent_id")}), ${placeholder("agent_id")})`,
      tool_name: placeholder("tool_name"),
      input: placeholder("input"),
      output: "",
      status: "completed",
      duration_ms: 0,
      user_id: sql`coalesce((select ${sessions.user_sub} from ${sessions} where ${sessions.id} = ${placeholder("session_id")}), '')`,
      created_at: placeholder("created_at"),
    })
    .prepare();
  const finish = db
    .update(toolCalls)
    .set({
      output: sql`${placeholder("output")}`,
      status: sql`${placeholder("status")}`,
      duration_ms: sql`${placeholder("duration_ms")}`,
    })
    .where(
      and(
        eq(toolCalls.session_id, placeholder("session_id")),
        eq(toolCalls.call_id, placeholder("call_id")),
      ),
    )
    .prepare();
  return {
    list: async (filter, { limit, offset }) =>
      db
        .select()
        .from(toolCalls)
        .where(matching(filter))
        .orderBy(desc(toolCalls.created_at), desc(sql`rowid`))
        .limit(limit)
        .offset(offset)
        .all(),
    count: async (filter) =>
      db.select({ total: count() }).from(toolCalls).where(matching(filter)).get()?.total ?? 0,
    async begin(call) {
      begin.run({ ...call });
    },
    async finish(session_id, call_id, outcome) {
      finish.run({ session_id, call_id, ...outcome });
    },
  };
}
