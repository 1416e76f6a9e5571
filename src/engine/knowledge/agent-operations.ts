import { z } from "zod";
import { AgentKey, type AgentRecord, requireAgent } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { badRequest } from "../kernel/error.ts";
import { defineOperation } from "../operation.ts";
import type { Reads } from "../store.ts";
import type { KnowledgeBaseRecord } from "./base.ts";
import { KnowledgeFile, requireFile, Upload } from "./file.ts";
import { receiveFile, removeFile } from "./file-operations.ts";

const AgentKnowledge = z.object({
  agent_name: z.string(),
  total_files: z.int(),
  indexed_files: z.int(),
  status: z.enum(["empty", "indexing", "ready"]),
});

export const getAgentKnowledge = defineOperation({
  name: "agent_knowledge.status",
  summary: "Tell how many of the files that an agent can search are indexed",
  scope: "agents:read",
  effect: "read",
  input: AgentKey,
  output: AgentKnowledge,
  run: async ({ read }, { name }) => {
    const agent = await requireAgent(read, name);
    const files = await read.knowledge_files.list(await baseIdsOf(read, agent));
    const is_working = files.some(({ status }) => status === "uploading" || status === "indexing");
    const progress = is_working ? ("indexing" as const) : ("ready" as const);
    return {
      agent_name: agent.name,
      total_files: files.length,
      indexed_files: files.filter(({ status }) => status === "ready").length,
      status: files.length === 0 ? ("empty" as const) : progress,
    };
  },
});

export const listAgentFiles = defineOperation({
  name: "agent_knowledge.list_files",
  summary: "List the files of every knowledge base that an agent is linked to",
  scope: "agents:read",
  effect: "read",
  input: AgentKey,
  output: z.array(KnowledgeFile),
  run: async ({ read }, { name }) =>
    read.knowledge_files.list(await baseIdsOf(read, await requireAgent(read, name))),
});

export const uploadAgentFile = defineOperation({
  name: "agent_knowledge.upload_file",
  summary: "Upload a file to an agent's knowledge base; one is made when it has none",
  scope: "agents:write",
  effect: "write",
  input: AgentKey.extend(Upload.shape),
  output: KnowledgeFile,
  run: async (ctx, { name, ...upload }) => receiveFile(ctx, await ownBase(ctx, name), upload),
});

export const deleteAgentFile = defineOperation({
  name: "agent_knowledge.delete_file",
  summary: "Delete a file of a knowledge base that an agent is linked to",
  scope: "agents:write",
  effect: "destroy",
  input: AgentKey.extend({ file_id: z.string().min(1) }),
  output: z.object({ status: z.literal("deleted") }),
  run: (ctx, { name, file_id }) =>
    removeFile(ctx, async (tx) => {
      const agent = await requireAgent(tx, name);
      return requireFile(tx, await baseIdsOf(tx, agent), file_id);
    }),
});

async function baseIdsOf(
  { knowledge_bases }: Pick<Reads, "knowledge_bases">,
  { id }: AgentRecord,
): Promise<string[]> {
  return (await knowledge_bases.listByAgent(id)).map((base) => base.id);
}

/** The one the agent is linked to, or else a new one with its name. Throws `bad_request` for several. */
function ownBase(ctx: Context, name: string): Promise<KnowledgeBaseRecord> {
  return ctx.write(async (tx) => {
    const agent = await requireAgent(tx, name);
    const [linked, ...more] = await tx.knowledge_bases.listByAgent(agent.id);
    if (linked && more.length === 0) return linked;
    if (linked) {
      const names = [linked, ...more].map((base) => base.name).join(", ");
      throw badRequest(
        `agent "${agent.name}" has several knowledge bases; upload to one of them at /knowledge-bases/{name}/files: ${names}`,
      );
    }
    const base_name = `${agent.name}-files`;
    const known = await tx.knowledge_bases.getByName(base_name);
    const now = ctx.now().toISOString();
    const base = known ?? { id: ctx.newId(), name: base_name, created_at: now, updated_at: now };
    if (!known) await tx.knowledge_bases.insert(base);
    await tx.knowledge_bases.link(base.id, agent.id);
    return base;
  });
}
