import { z } from "zod";
import type { MemoryConfig } from "../capabilities/capability.ts";
import { uuidOf } from "../kernel/ids.ts";
import { LIMITS } from "../kernel/limits.ts";
import type { MemoryRecord } from "../memory/memory.ts";
import { defineTool, errorResult, type Tool } from "./tool.ts";

const { memory_recall, memory_content_characters } = LIMITS;

const memoryRecall = defineTool({
  name: "memory_recall",
  description:
    "Recall what you stored about this person in earlier conversations, most recent first.",
  security_zone: "safe",
  retry: "safe",
  input: z.object({
    query: z.string().optional().describe("Every word of it must occur; all entries when absent"),
    limit: z.int().min(1).max(memory_recall.max).optional(),
  }),
  async execute({ query = "", limit = memory_recall.default }, { read, schema_id, user_sub }) {
    const words = query.split(/\s+/).filter(Boolean);
    const entries = await read.memory.search({ schema_id, user_sub }, words, limit);
    if (entries.length === 0) return { content: "No memories found." };
    return { content: entries.map(toLine).join("\n"), is_untrusted: true };
  },
});

function toLine({ content, metadata, created_at }: MemoryRecord, index: number): string {
  const about = metadata && Object.keys(metadata).length > 0 ? ` ${JSON.stringify(metadata)}` : "";
  return `${index + 1}. [${created_at.slice(0, 10)}]${about} ${content}`;
}

/** `config` is the agent's memory capability. */
const memoryStore = ({ max_entries = 0 }: MemoryConfig): Tool =>
  defineTool({
    name: "memory_store",
    description:
      "Remember one fact about this person for later conversations. Store what lasts, in a full sentence.",
    security_zone: "safe",
    retry: "safe",
    input: MemoryStoreInput,
    async execute({ content, metadata }, ctx) {
      const { schema_id, user_sub, agent_id, session_id, call_id } = ctx;
      // A background task's agent may be in no schema: then there is nobody to remember it for.
      if (schema_id === "") return errorResult("there is no schema to remember this for");
      const now = ctx.now().toISOString();
      // The call's own id: when a crash has it repeated, it stores nothing twice.
      const id = uuidOf(`${session_id} ${call_id}`);
      await ctx.write(async (tx) => {
        if (await tx.memory.get(id)) return;
        await tx.memory.insert({
          id,
          schema_id,
          user_sub,
          agent_id,
          content,
          metadata,
          created_at: now,
          updated_at: now,
        });
        if (max_entries > 0) await tx.memory.keepNewest({ schema_id, user_sub }, max_entries);
      });
      return { content: "Stored." };
    },
  });

const MemoryStoreInput = z.object({
  content: z.string().min(1).max(memory_content_characters),
  metadata: z.record(z.string(), z.string()).optional(),
});

/** As an agent has them that lists them without a capability: nothing is limited. */
export const memoryTools = (config: MemoryConfig = {}): Tool[] => [
  memoryRecall,
  memoryStore(config),
];
