import { z } from "zod";
import { defineOperation } from "../operation.ts";

export const getWidgetConfig = defineOperation({
  name: "widget.config",
  summary: "What the embedded chat widget asks for when it opens",
  scope: "chat",
  effect: "read",
  input: z.object({}),
  /** Whether it names the product that it speaks to. */
  output: z.object({ attribution: z.boolean() }),
  run: async () => ({ attribution: true }),
});
