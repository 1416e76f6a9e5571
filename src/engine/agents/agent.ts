import { z } from "zod";
import { badRequest, notFound } from "../kernel/error.ts";
import { Name, Timestamp, Uuid } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";
import { findByIdOrName } from "../kernel/reference.ts";
import { ModelReference } from "../models/model.ts";
import { isAdministrative } from "../tools/tool-name.ts";

const ToolNames = z.array(z.string().min(1).max(128)).max(LIMITS.agent_tools);

/** Writable fields. No `.default()`: a PATCH must tell "absent" from "default". */
const AgentFields = z.object({
  system: z.string().max(LIMITS.system_prompt_characters),
  lifecycle: z
    .enum(["persistent", "spawn", "ephemeral"])
    .transform((value) => (value === "ephemeral" ? "spawn" : value)),
  tool_execution: z.enum(["sequential", "parallel"]),
  tools: ToolNames,
  confirm_before: ToolNames,
  max_steps: z.int().min(0).max(LIMITS.max_steps.max),
  max_context_size: z
    .int()
    .refine(
      isContextSize,
      `must be 0 or ${LIMITS.max_context_size.min} to ${LIMITS.max_context_size.max} tokens`,
    ),
  max_turn_duration: z.int().min(0).max(LIMITS.max_turn_duration_s.max),
  max_step_duration: z
    .int()
    .refine(
      isStepDuration,
      `must be 0 (off) or ${LIMITS.max_step_duration_s.min} to ${LIMITS.max_step_duration_s.max} seconds`,
    ),
  temperature: clearable(z.number().min(0).max(2)),
  top_p: clearable(z.number().min(0).max(1)),
  max_tokens: clearable(z.int().min(1)),
  stop_sequences: z.array(z.string().min(1).max(256)).max(16),
});

/** An explicit null clears the field. */
function clearable<Field extends z.ZodType>(field: Field) {
  return field.nullable().transform((value) => value ?? undefined);
}

function isContextSize(tokens: number): boolean {
  const { min, max } = LIMITS.max_context_size;
  return tokens === 0 || (tokens >= min && tokens <= max);
}

function isStepDuration(seconds: number): boolean {
  const { min, max } = LIMITS.max_step_duration_s;
  return seconds === 0 || (seconds >= min && seconds <= max);
}

export const agentDefaults = {
  system: "",
  lifecycle: "persistent",
  tool_execution: "sequential",
  tools: [] as string[],
  confirm_before: [] as string[],
  max_steps: LIMITS.max_steps.default,
  max_context_size: LIMITS.max_context_size.default,
  max_turn_duration: LIMITS.max_turn_duration_s.default,
  max_step_duration: 0,
  temperature: undefined,
  top_p: undefined,
  max_tokens: undefined,
  stop_sequences: [] as string[],
} as const;

/** Other editions' names for the same fields; the newer name wins when both say something. */
const Aliases = z.object({
  system_prompt: z.string().max(LIMITS.system_prompt_characters),
  model: ModelReference,
  model_id: ModelReference,
  can_spawn: z.array(z.unknown()).max(0, "is derived from relations; create a relation instead"),
});

/** Ids or names of what the agent may search and call; each list replaces what it was linked to. */
const Links = z.object({
  knowledge_base_ids: z.array(z.string().min(1)).max(LIMITS.agent_tools),
  mcp_servers: z.array(z.string().min(1)).max(LIMITS.agent_tools),
});

const AgentInput = z.object({
  ...AgentFields.partial().shape,
  ...Aliases.partial().shape,
  ...Links.partial().shape,
});

/** `{name}` in a path: the agent's name or its UUID. */
export const AgentKey = z.object({ name: z.string().min(1) });
export const AgentCreate = AgentInput.extend({
  name: Name.regex(/^[a-z]/, "must start with a letter"),
});
export const AgentReplace = AgentInput.extend({ ...AgentKey.shape, rename: z.string().optional() });
export const AgentPatch = AgentReplace;

export const Agent = z.object({
  id: Uuid,
  name: z.string(),
  system: z.string(),
  system_prompt: z.string(),
  model: z.string().optional(),
  model_id: z.int().optional(),
  lifecycle: z.string(),
  tool_execution: z.string(),
  tools: z.array(z.string()),
  tools_count: z.int(),
  has_knowledge: z.boolean(),
  knowledge_base_ids: z.array(Uuid).optional(),
  mcp_servers: z.array(z.string()).optional(),
  can_spawn: z.array(z.string()).optional(),
  max_steps: z.int(),
  max_context_size: z.int(),
  max_turn_duration: z.int(),
  max_step_duration: z.int(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  max_tokens: z.int().optional(),
  stop_sequences: z.array(z.string()).optional(),
  confirm_before: z.array(z.string()).optional(),
  /** What its lists name and no tool is called at present: turns go on without it. */
  unknown_tools: z.array(z.string()).optional(),
  is_system: z.boolean().optional(),
  used_in_schemas: z.array(z.string()).optional(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const AgentListItem = Agent.pick({
  id: true,
  name: true,
  model: true,
  lifecycle: true,
  tools_count: true,
  has_knowledge: true,
  is_system: true,
  used_in_schemas: true,
});

/** An agent as it is stored; the model is referenced by id, so that renaming a model breaks nothing. */
export interface AgentRecord {
  readonly id: string;
  readonly name: string;
  readonly system: string;
  readonly model_id?: number | undefined;
  readonly lifecycle: string;
  readonly tool_execution: string;
  readonly tools: string[];
  readonly confirm_before: string[];
  readonly max_steps: number;
  readonly max_context_size: number;
  readonly max_turn_duration: number;
  readonly max_step_duration: number;
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly max_tokens?: number | undefined;
  readonly stop_sequences: string[];
  readonly is_system: boolean;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface AgentReads {
  /** Oldest first. */
  list(): Promise<AgentRecord[]>;
  get(id: string): Promise<AgentRecord | undefined>;
  getByName(name: string): Promise<AgentRecord | undefined>;
  listNamesByModel(model_id: number): Promise<string[]>;
  count(): Promise<number>;
}

export interface AgentWrites extends AgentReads {
  insert(agent: AgentRecord): Promise<void>;
  update(id: string, fields: Partial<AgentRecord>): Promise<void>;
  delete(id: string): Promise<void>;
  /** Gives a model to every agent that has none. */
  bindModel(model_id: number): Promise<void>;
}

/** By name or id. Takes either face of the store, so it serves inside and outside a transaction. */
export async function requireAgent(
  { agents }: { readonly agents: AgentReads },
  key: string,
): Promise<AgentRecord> {
  const agent = await findByIdOrName(agents, key);
  if (!agent) throw notFound("agent", key);
  return agent;
}

/** Throws `bad_request` naming the tool. */
export function refuseAdministrativeTools(tools: readonly string[] | undefined): void {
  const refused = tools?.find(isAdministrative);
  if (refused) throw badRequest(`tools: ${refused} cannot be granted to an agent`);
}

type Input = z.infer<typeof AgentInput>;

/** The fields of a request under their one name, without model and read-only ones. */
export function writableFields(input: Input) {
  const { system_prompt, model, model_id, can_spawn, knowledge_base_ids, mcp_servers, ...fields } =
    input;
  const system = system_prompt || (fields.system ?? system_prompt);
  return system === undefined ? fields : { ...fields, system };
}

/** 0 asks for the default when an agent is created or replaced (contract 2.1). */
export function withDefaults(fields: ReturnType<typeof writableFields>) {
  const given = Object.entries(fields).filter(
    ([key, value]) =>
      value !== undefined && !(value === 0 && (key === "max_steps" || key === "max_context_size")),
  );
  return { ...agentDefaults, ...(Object.fromEntries(given) as typeof fields) };
}

/** The model the request names, if any; `model_id` is the other edition's key. */
export const modelReferenceOf = (input: Input) => input.model_id ?? input.model;
