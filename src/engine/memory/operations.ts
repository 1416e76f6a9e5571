import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { defineOperation } from "../operation.ts";
import { requireSchema } from "../schemas/schema.ts";
import { MemoryEntry, MemoryEntryKey, MemoryKey } from "./memory.ts";

export const listMemory = defineOperation({
  name: "memory.list",
  summary: "List what a schema's agents remember, newest first",
  scope: "schemas:read",
  effect: "read",
  input: MemoryKey,
  output: z.array(MemoryEntry),
  run: async ({ read }, { name }) => read.memory.listBySchema((await requireSchema(read, name)).id),
});

export const clearMemory = defineOperation({
  name: "memory.clear",
  summary: "Forget everything a schema's agents remember",
  scope: "schemas:write",
  effect: "destroy",
  input: MemoryKey,
  output: Nothing,
  run: (ctx, { name }) =>
    ctx.write(async (tx) => {
      await tx.memory.deleteBySchema((await requireSchema(tx, name)).id);
      return undefined;
    }),
});

export const deleteMemoryEntry = defineOperation({
  name: "memory.delete",
  summary: "Forget one entry",
  scope: "schemas:write",
  effect: "destroy",
  input: MemoryEntryKey,
  output: z.object({ status: z.literal("deleted") }),
  run: (ctx, { name, entry_id }) =>
    ctx.write(async (tx) => {
      const schema = await requireSchema(tx, name);
      const entry = await tx.memory.get(entry_id);
      if (entry?.schema_id !== schema.id) throw notFound("memory entry", entry_id);
      await tx.memory.delete(entry_id);
      return { status: "deleted" as const };
    }),
});
