import { createCitationRegister } from "#engine/knowledge/citation.ts";
import type { ToolContext } from "#engine/tools/tool.ts";

/** What a tool is given that needs no store. */
export const toolContext = (fields: Partial<ToolContext> = {}): ToolContext => ({
  session_id: "s",
  schema_id: "schema",
  user_sub: "",
  agent_id: "agent",
  call_id: "c1",
  read: {} as ToolContext["read"],
  write: () => Promise.reject(new Error("this test has no store")),
  now: () => new Date(),
  newId: () => crypto.randomUUID(),
  tasks: { wake: () => undefined, changed: async () => undefined },
  cite: createCitationRegister().cite,
  signal: new AbortController().signal,
  ...fields,
});
