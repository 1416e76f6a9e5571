import { z } from "zod";
import { Nothing } from "../kernel/fields.ts";
import { defineOperation } from "../operation.ts";
import { MCP_TOOL_CALL } from "./audit.ts";
import { entryOf } from "./record.ts";

/** Of every call, reads and refused ones too; arguments are not kept, as they can hold secrets. */
export const recordToolCall = defineOperation({
  name: "audit.record_tool_call",
  summary: "Note a call of a provisioning tool",
  scope: "authenticated",
  effect: "read",
  input: z.object({
    tool: z.string(),
    outcome: z.enum(["done", "failed", "refused"]),
    request_id: z.string(),
  }),
  output: Nothing,
  run: async (ctx, { tool, ...details }) => {
    const entry = entryOf(ctx, MCP_TOOL_CALL, { resource: tool, details });
    await ctx.write((tx) => tx.audit.append(entry));
    return undefined;
  },
});
