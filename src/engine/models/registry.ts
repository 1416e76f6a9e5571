import { z } from "zod";
import { defineOperation } from "../operation.ts";
import { REGISTRY_MODELS, REGISTRY_PROVIDERS } from "../providers/registry.data.ts";

/** What a model is good for in a team: to lead, to be led, or for small work on the side. */
const Role = z.enum(["orchestrator", "sub_agent", "utility"]);

export const RegistryModel = z.object({
  id: z.string(),
  display_name: z.string(),
  provider: z.string(),
  tier: z.int().min(1).max(3),
  context_window: z.int(),
  max_output: z.int(),
  supports_tools: z.boolean(),
  supports_vision: z.boolean(),
  /** US dollars for a million tokens. */
  pricing_input: z.number(),
  pricing_output: z.number(),
  description: z.string(),
  recommended_for: Role,
});
export type RegistryModel = z.infer<typeof RegistryModel>;

export const RegistryProvider = z.object({
  id: z.string(),
  display_name: z.string(),
  auth_type: z.enum(["api_key", "none"]),
  website: z.string(),
});
export type RegistryProvider = z.infer<typeof RegistryProvider>;

/** A query's text as a value; an empty one asks for nothing, and other text is refused. */
const queried = <Value extends string | number | boolean>(
  type: "integer" | "boolean",
  read: (text: string) => Value | undefined,
) =>
  z
    .unknown()
    .optional()
    .transform((value, issues) => {
      if (value === undefined || value === "") return undefined;
      const found = read(String(value));
      if (found !== undefined) return found;
      issues.addIssue({
        code: "custom",
        message: `must be ${type === "integer" ? "an" : "a"} ${type}`,
      });
      return z.NEVER;
    })
    .meta({ type });

const toInteger = (text: string): number | undefined =>
  /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;

const toBoolean = (text: string): boolean | undefined => {
  if (text === "true" || text === "1") return true;
  return text === "false" || text === "0" ? false : undefined;
};

export const listRegistryModels = defineOperation({
  name: "models.registry",
  summary: "List known models of all providers, configured or not",
  scope: "public",
  effect: "read",
  input: z.object({
    provider: z.string().optional(),
    tier: queried("integer", toInteger),
    supports_tools: queried("boolean", toBoolean),
  }),
  output: z.array(RegistryModel),
  run: async (_ctx, { provider, tier, supports_tools }) =>
    REGISTRY_MODELS.filter(
      (model) =>
        (!provider || model.provider === provider) &&
        (tier === undefined || model.tier === tier) &&
        (supports_tools === undefined || model.supports_tools === supports_tools),
    ),
});

export const listRegistryProviders = defineOperation({
  name: "models.registry_providers",
  summary: "List the providers of the known models",
  scope: "public",
  effect: "read",
  input: z.object({}),
  output: z.array(RegistryProvider),
  run: async () => [...REGISTRY_PROVIDERS],
});
