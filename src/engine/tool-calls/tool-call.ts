import { z } from "zod";
import { Timestamp } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";
import { pageInput, pageOf, type Slice } from "../kernel/page.ts";

export const ToolCallQuery = z.object({
  session_id: z.string().optional(),
  /** The agent's name. */
  agent: z.string().optional(),
  tool: z.string().optional(),
  status: z.string().optional(),
  user_id: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  ...pageInput(LIMITS.tool_calls_page),
});

/** One call of a tool, as it was asked for and as it ended (specification 2, tool-call record). */
const ToolCall = z.object({
  id: z.string(),
  session_id: z.string(),
  agent_name: z.string(),
  tool_name: z.string(),
  /** The arguments as JSON text. */
  input: z.string(),
  output: z.string(),
  status: z.enum(["completed", "failed"]),
  duration_ms: z.int(),
  user_id: z.string(),
  created_at: Timestamp,
});

export const ToolCallPage = pageOf(ToolCall);

export interface ToolCallRecord extends z.infer<typeof ToolCall> {
  readonly call_id: string;
}

/** `from` and `to` are inclusive bounds on `created_at`. */
export interface ToolCallFilter {
  readonly session_id?: string | undefined;
  readonly agent_name?: string | undefined;
  readonly tool_name?: string | undefined;
  readonly status?: string | undefined;
  readonly user_id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface ToolCallReads {
  /** Newest first. */
  list(filter: ToolCallFilter, slice: Slice): Promise<ToolCallRecord[]>;
  count(filter: ToolCallFilter): Promise<number>;
}

/** A call as it begins; the store adds whose session it is and what its agent is called. */
export type BegunToolCall = Pick<
  ToolCallRecord,
  "id" | "session_id" | "call_id" | "tool_name" | "input" | "created_at"
> & { readonly agent_id: string };

export interface ToolCallWrites extends ToolCallReads {
  begin(call: BegunToolCall): Promise<void>;
  finish(
    session_id: string,
    call_id: string,
    outcome: Pick<ToolCallRecord, "output" | "status" | "duration_ms">,
  ): Promise<void>;
}
