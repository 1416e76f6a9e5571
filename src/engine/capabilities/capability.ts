import { z } from "zod";
import { badRequest } from "../kernel/error.ts";
import { Uuid } from "../kernel/fields.ts";
import { BundleName } from "../knowledge-graphs/bundles/bundle.ts";

/** What each type may be configured with (contract 2.12); unknown keys are kept as they are. */
const CONFIGS = {
  memory: z.looseObject({
    /** 0 or absent: unlimited; the oldest go first. */
    max_entries: z.int().min(0).optional(),
    /** 0 or absent: kept for ever. */
    retention_days: z.int().min(0).optional(),
    unlimited_retention: z.boolean().optional(),
  }),
  knowledge: z.looseObject({
    top_k: z.int().min(1).max(50).optional(),
    similarity_threshold: z.number().min(0).max(1).optional(),
  }),
  knowledge_graphs: z.looseObject({
    bundles: z.array(BundleName).min(1),
  }),
};

export type CapabilityType = keyof typeof CONFIGS;
export type KnowledgeConfig = z.infer<(typeof CONFIGS)["knowledge"]>;
export type GraphsConfig = z.infer<(typeof CONFIGS)["knowledge_graphs"]>;
export type MemoryConfig = z.infer<(typeof CONFIGS)["memory"]>;

const TYPES = Object.keys(CONFIGS) as CapabilityType[];

const Config = z.record(z.string(), z.unknown());

export const CapabilitiesKey = z.object({ name: z.string().min(1) });
export const CapabilityKey = CapabilitiesKey.extend({ capId: z.string().min(1) });
export const CapabilityCreate = CapabilitiesKey.extend({
  type: z.string().min(1),
  config: Config.optional(),
  enabled: z.boolean().optional(),
});
export const CapabilityUpdate = CapabilityKey.extend({
  type: z.string().optional(),
  config: Config.optional(),
  enabled: z.boolean().optional(),
});

/** An ability bound to an agent, which brings its tools along. */
export const Capability = z.object({
  id: Uuid,
  agent_name: z.string(),
  type: z.string(),
  config: Config,
  enabled: z.boolean(),
});

export interface CapabilityRecord {
  readonly id: string;
  readonly agent_id: string;
  readonly type: CapabilityType;
  readonly config: Record<string, unknown>;
  readonly enabled: boolean;
  readonly created_at: string;
}

export interface CapabilityReads {
  /** Oldest first. */
  listByAgent(agent_id: string): Promise<CapabilityRecord[]>;
  listByType(type: CapabilityType): Promise<CapabilityRecord[]>;
  get(id: string): Promise<CapabilityRecord | undefined>;
}

export interface CapabilityWrites extends CapabilityReads {
  insert(capability: CapabilityRecord): Promise<void>;
  update(id: string, fields: Partial<CapabilityRecord>): Promise<void>;
  delete(id: string): Promise<void>;
}

/** Throws `bad_request` that lists the types there are. */
export function requireType(type: string): CapabilityType {
  if ((TYPES as string[]).includes(type)) return type as CapabilityType;
  throw badRequest(`type: "${type}" is none of ${TYPES.join(", ")}`);
}

/** Throws `bad_request` naming the offending key. */
export function requireConfig(
  type: CapabilityType,
  config: Record<string, unknown>,
): Record<string, unknown> {
  const result = CONFIGS[type].safeParse(config);
  if (result.success) return result.data;
  const details = result.error.issues.map(
    ({ path, message }) => `config.${path.map(String).join(".")}: ${message}`,
  );
  throw badRequest(details.join("; "), { details });
}
