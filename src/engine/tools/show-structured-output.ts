import {
  completeBlock,
  decodeLists,
  SHOW_STRUCTURED_OUTPUT,
  StructuredOutputInput,
} from "./structured-output.ts";
import { defineTool } from "./tool.ts";

/** Shows a table, a note or a form, and ends the turn; an answer goes on with it (contract 4.16). */
export const showStructuredOutput = defineTool({
  name: SHOW_STRUCTURED_OUTPUT,
  description:
    "Show the person a table (summary_table), a note (info) or a form (form) and wait. Ask with a form whenever you need several answers or a choice. Call it alone and last: the turn ends with it, and the person's answer comes as the next message.",
  security_zone: "safe",
  retry: "safe",
  input: StructuredOutputInput,
  decode: decodeLists,
  execute: async (block) => ({ interrupt: (interrupt_id) => completeBlock(block, interrupt_id) }),
});
