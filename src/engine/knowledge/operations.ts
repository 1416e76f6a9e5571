import { z } from "zod";
import { requireAgent } from "../agents/agent.ts";
import { badRequest, conflict } from "../kernel/error.ts";
import { findModel } from "../models/model.ts";
import { defineOperation } from "../operation.ts";
import type { Reads, Writes } from "../store.ts";
import {
  BaseCreate,
  BaseKey,
  BaseLinkKey,
  BasePatch,
  BaseReplace,
  KnowledgeBase,
  type KnowledgeBaseRecord,
  requireBase,
} from "./base.ts";

export const listKnowledgeBases = defineOperation({
  name: "knowledge_bases.list",
  summary: "List knowledge bases",
  scope: "agents:read",
  effect: "read",
  input: z.object({}),
  output: z.array(KnowledgeBase),
  run: async ({ read }) =>
    Promise.all((await read.knowledge_bases.list()).map((base) => toBase(read, base))),
});

export const getKnowledgeBase = defineOperation({
  name: "knowledge_bases.get",
  summary: "Read a knowledge base",
  scope: "agents:read",
  effect: "read",
  input: BaseKey,
  output: KnowledgeBase,
  run: async ({ read }, { name }) => toBase(read, await requireBase(read, name)),
});

export const createKnowledgeBase = defineOperation({
  name: "knowledge_bases.create",
  summary: "Create a knowledge base; without an embedding model it is searched by words alone",
  scope: "agents:write",
  effect: "write",
  input: BaseCreate,
  output: KnowledgeBase,
  run: (ctx, { name, description, embedding_model_id }) =>
    ctx.write(async (tx) => {
      if (await tx.knowledge_bases.getByName(name))
        throw conflict(`knowledge base "${name}" already exists`);
      const now = ctx.now().toISOString();
      const base: KnowledgeBaseRecord = {
        id: ctx.newId(),
        name,
        description: description || undefined,
        embedding_model_id: await resolveModel(tx, embedding_model_id),
        created_at: now,
        updated_at: now,
      };
      await tx.knowledge_bases.insert(base);
      return toBase(tx, base);
    }),
});

export const replaceKnowledgeBase = defineOperation({
  name: "knowledge_bases.replace",
  summary: "Replace a knowledge base's writable fields",
  scope: "agents:write",
  effect: "write",
  input: BaseReplace,
  output: KnowledgeBase,
  run: (ctx, { description = "", embedding_model_id = "", ...key }) =>
    ctx.write((tx) =>
      update(tx, ctx.now(), key, { description, model: { reference: embedding_model_id } }),
    ),
});

export const patchKnowledgeBase = defineOperation({
  name: "knowledge_bases.patch",
  summary: "Change the supplied fields of a knowledge base",
  scope: "agents:write",
  effect: "write",
  input: BasePatch,
  output: KnowledgeBase,
  run: (ctx, { description, embedding_model_id, ...key }) =>
    ctx.write((tx) =>
      update(tx, ctx.now(), key, {
        ...(description === undefined ? {} : { description }),
        ...(embedding_model_id === undefined ? {} : { model: { reference: embedding_model_id } }),
      }),
    ),
});

export const deleteKnowledgeBase = defineOperation({
  name: "knowledge_bases.delete",
  summary: "Delete a knowledge base with its files; agents lose it",
  scope: "agents:write",
  effect: "destroy",
  input: BaseKey,
  output: z.object({ status: z.literal("deleted") }),
  run: (ctx, { name }) =>
    ctx.write(async (tx) => {
      const base = await requireBase(tx, name);
      await tx.knowledge_bases.delete(base.id);
      return { status: "deleted" as const };
    }),
});

export const linkAgent = defineOperation({
  name: "knowledge_bases.link",
  summary: "Let an agent search a knowledge base",
  scope: "agents:write",
  effect: "write",
  input: BaseLinkKey,
  output: z.object({ status: z.literal("linked") }),
  run: (ctx, { name, agent_name }) =>
    ctx.write(async (tx) => {
      const [base, agent] = await requireBoth(tx, name, agent_name);
      await tx.knowledge_bases.link(base.id, agent.id);
      return { status: "linked" as const };
    }),
});

export const unlinkAgent = defineOperation({
  name: "knowledge_bases.unlink",
  summary: "Take a knowledge base from an agent",
  scope: "agents:write",
  effect: "write",
  input: BaseLinkKey,
  output: z.object({ status: z.literal("unlinked") }),
  run: (ctx, { name, agent_name }) =>
    ctx.write(async (tx) => {
      const [base, agent] = await requireBoth(tx, name, agent_name);
      await tx.knowledge_bases.unlink(base.id, agent.id);
      return { status: "unlinked" as const };
    }),
});

const requireBoth = (tx: Writes, name: string, agent_name: string) =>
  Promise.all([requireBase(tx, name), requireAgent(tx, agent_name)]);

interface Changes {
  readonly description?: string;
  readonly model?: { readonly reference: string | number | null };
}

async function update(
  tx: Writes,
  now: Date,
  { name, rename }: { name: string; rename?: string | undefined },
  { description, model }: Changes,
): Promise<z.input<typeof KnowledgeBase>> {
  const base = await requireBase(tx, name);
  if (rename !== undefined && rename !== name) {
    throw conflict(`a knowledge base's name is immutable: "${name}" cannot become "${rename}"`);
  }
  const embedding_model_id = model
    ? await resolveModel(tx, model.reference)
    : base.embedding_model_id;
  if (embedding_model_id !== base.embedding_model_id) await requireNoFiles(tx, base);
  const fields = {
    ...(description === undefined ? {} : { description: description || undefined }),
    embedding_model_id,
    updated_at: now.toISOString(),
  };
  await tx.knowledge_bases.update(base.id, fields);
  return toBase(tx, { ...base, ...fields });
}

/** What one model made of a text says nothing to another (contract 13.24). */
async function requireNoFiles(tx: Writes, base: KnowledgeBaseRecord): Promise<void> {
  if ((await tx.knowledge_files.count(base.id)) === 0) return;
  throw conflict(
    `embedding_model_id: knowledge base "${base.name}" has files that are indexed already; delete them first, or create another knowledge base`,
  );
}

/** By id or name. Throws `bad_request` naming what is wrong. */
async function resolveModel(
  { models }: Pick<Reads, "models">,
  reference: string | number | null | undefined,
): Promise<number | undefined> {
  if (reference === undefined || reference === null || reference === "") return undefined;
  const model = await findModel(models, reference);
  if (!model) throw badRequest(`embedding_model_id: there is no model "${reference}"`);
  if (model.kind !== "embedding")
    throw badRequest(`embedding_model_id: "${model.name}" is a chat model`);
  return model.id;
}

async function toBase(
  { knowledge_bases, knowledge_files }: Pick<Reads, "knowledge_bases" | "knowledge_files">,
  base: KnowledgeBaseRecord,
): Promise<z.input<typeof KnowledgeBase>> {
  const [file_count, linked_agents] = await Promise.all([
    knowledge_files.count(base.id),
    knowledge_bases.listAgentNames(base.id),
  ]);
  return { ...base, file_count, linked_agents };
}
