import { z } from "zod";
import { httpTool } from "../http-tools/tool.ts";
import { defineOperation } from "../operation.ts";
import { KNOWLEDGE_SEARCH } from "./knowledge-search.ts";

const ToolMetadata = z.object({
  name: z.string(),
  description: z.string(),
  security_zone: z.enum(["safe", "caution", "dangerous"]),
  risk_warning: z.string().optional(),
});

/** Tools that an agent gets by its relations and capabilities, and so are in no list of their own. */
const DERIVED = [
  KNOWLEDGE_SEARCH,
  {
    name: "spawn_agent",
    description:
      "Delegate a task to another agent of the schema and wait for its answer. Relations decide to whom; each also gives a tool of its own, spawn_<agent>.",
    security_zone: "safe" as const,
  },
];

export const listToolMetadata = defineOperation({
  name: "tools.metadata",
  summary: "List the tools that agents can be given, with how much harm each can do",
  scope: "tools:read",
  effect: "read",
  input: z.object({}),
  output: z.array(ToolMetadata),
  run: async ({ services, read }) => {
    const declared = await read.http_tools.list();
    const tools = declared.map((record) => httpTool(record, services));
    return [...services.tools.values(), ...DERIVED, ...tools];
  },
});
