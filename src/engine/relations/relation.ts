import { z } from "zod";
import { Name, Uuid } from "../kernel/fields.ts";

/** `source` and `target` take an agent's name or id. */
const RelationFields = z.object({
  source: z.string().min(1),
  target: z.string().min(1),
  config: z.record(z.string(), z.unknown()).optional(),
});

export const RelationsKey = z.object({ name: Name });
export const RelationKey = RelationsKey.extend({ relationId: z.string().min(1) });
export const RelationCreate = RelationFields.extend(RelationsKey.shape);
export const RelationReplace = RelationFields.extend(RelationKey.shape);

/** The source agent may delegate to the target (specification 4 Schemas, contract 2.10). */
export const Relation = z.object({
  id: Uuid,
  schema_id: Uuid,
  source: z.string(),
  target: z.string(),
  config: z.record(z.string(), z.unknown()).optional(),
});

export interface RelationRecord {
  readonly id: string;
  readonly schema_id: string;
  readonly source_id: string;
  readonly target_id: string;
  readonly config?: Record<string, unknown> | undefined;
  readonly created_at: string;
}

export interface RelationReads {
  /** Oldest first. */
  listBySchema(schema_id: string): Promise<RelationRecord[]>;
  /** Those with the agent at either end, in every schema. */
  listByAgent(agent_id: string): Promise<RelationRecord[]>;
  /** Whom the agent may delegate to in this schema, oldest relation first. */
  listTargetIds(schema_id: string, source_id: string): Promise<string[]>;
  get(id: string): Promise<RelationRecord | undefined>;
}

export interface RelationWrites extends RelationReads {
  insert(relation: RelationRecord): Promise<void>;
  update(id: string, fields: Partial<RelationRecord>): Promise<void>;
  delete(id: string): Promise<void>;
}

type Edge = Pick<RelationRecord, "source_id" | "target_id">;

/** Whether one more relation would let an agent delegate, over others, to itself. */
export function closesCycle(relations: readonly Edge[], added: Edge): boolean {
  const targets = new Map<string, string[]>();
  for (const { source_id, target_id } of relations) {
    targets.set(source_id, [...(targets.get(source_id) ?? []), target_id]);
  }
  const seen = new Set<string>();
  const open = [added.target_id];
  for (let agent_id = open.pop(); agent_id !== undefined; agent_id = open.pop()) {
    if (agent_id === added.source_id) return true;
    if (seen.has(agent_id)) continue;
    seen.add(agent_id);
    open.push(...(targets.get(agent_id) ?? []));
  }
  return false;
}
