import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { Description, Name, Timestamp, Uuid } from "../kernel/fields.ts";
import { ModelReference } from "../models/model.ts";

/** An empty reference to a model says that there is none. */
const EmbeddingModel = z.union([z.literal(""), ModelReference]).nullable();

/** Writable fields. No `.default()`: a PATCH must tell "absent" from "default". */
const BaseFields = z.object({ description: Description, embedding_model_id: EmbeddingModel });

export const BaseKey = z.object({ name: Name });
export const BaseCreate = BaseFields.partial().extend(BaseKey.shape);
export const BaseReplace = BaseFields.partial().extend({ ...BaseKey.shape, rename: z.string() });
export const BasePatch = BaseReplace.partial({ rename: true });
export const BaseLinkKey = BaseKey.extend({ agent_name: z.string().min(1) });

/** Documents that agents can search (contract 2.13). */
export const KnowledgeBase = z.object({
  id: Uuid,
  name: z.string(),
  description: z.string().optional(),
  embedding_model_id: z.int().optional(),
  file_count: z.int(),
  /** Names. */
  linked_agents: z.array(z.string()),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export interface KnowledgeBaseRecord {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly embedding_model_id?: number | undefined;
  /** Where all of its passages have vectors: what searches use until those of another model are complete. */
  readonly vector_space?: string | undefined;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface KnowledgeBaseReads {
  /** Oldest first. */
  list(): Promise<KnowledgeBaseRecord[]>;
  get(id: string): Promise<KnowledgeBaseRecord | undefined>;
  getByName(name: string): Promise<KnowledgeBaseRecord | undefined>;
  /** Those linked to an agent, oldest link first. */
  listByAgent(agent_id: string): Promise<KnowledgeBaseRecord[]>;
  listByModel(model_id: number): Promise<KnowledgeBaseRecord[]>;
  /** In order of their names. */
  listAgentNames(knowledge_base_id: string): Promise<string[]>;
}

export interface KnowledgeBaseWrites extends KnowledgeBaseReads {
  insert(base: KnowledgeBaseRecord): Promise<void>;
  update(id: string, fields: Partial<KnowledgeBaseRecord>): Promise<void>;
  /** With its links and its files. */
  delete(id: string): Promise<void>;
  /** Linking what is linked changes nothing. */
  link(knowledge_base_id: string, agent_id: string): Promise<void>;
  unlink(knowledge_base_id: string, agent_id: string): Promise<void>;
  unlinkAgent(agent_id: string): Promise<void>;
}

/** Takes either face of the store, so it serves inside and outside a transaction. */
export async function requireBase(
  { knowledge_bases }: { readonly knowledge_bases: KnowledgeBaseReads },
  name: string,
): Promise<KnowledgeBaseRecord> {
  const base = await knowledge_bases.getByName(name);
  if (!base) throw notFound("knowledge base", name);
  return base;
}
