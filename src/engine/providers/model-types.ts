interface ModelType {
  readonly label: string;
  /** Used when the model names no address of its own. */
  readonly base_url?: string;
  readonly needs_base_url?: true;
  readonly needs_api_key?: true;
  /** Its models are known to call tools, so that nobody needs to pay for finding out. */
  readonly calls_tools?: true;
  /** Set for a name that is accepted but stored as another type (specification section 2). */
  readonly stored_as?: string;
  /** Exists for the override of one request only and can't be configured. */
  readonly override_only?: true;
}

/** Every model type. A new provider is one row here and one file beside it. */
const MODEL_TYPES: Readonly<Record<string, ModelType>> = {
  demo: { label: "Built-in demo (offline)" },
  ollama: { label: "Ollama", base_url: "http://127.0.0.1:11434" },
  openai_compatible: { label: "OpenAI-compatible server", needs_base_url: true },
  openai: { label: "OpenAI", base_url: "https://api.openai.com/v1", override_only: true },
  anthropic: { label: "Anthropic", base_url: "https://api.anthropic.com/v1", calls_tools: true },
  azure_openai: {
    label: "Azure OpenAI",
    needs_base_url: true,
    needs_api_key: true,
    calls_tools: true,
  },
  google: {
    label: "Google Gemini",
    base_url: "https://generativelanguage.googleapis.com/v1beta",
    calls_tools: true,
  },
  openrouter: {
    label: "OpenRouter",
    base_url: "https://openrouter.ai/api/v1",
    needs_api_key: true,
    stored_as: "openai_compatible",
  },
  deepseek: { label: "DeepSeek", base_url: "https://api.deepseek.com/v1", calls_tools: true },
  mistral: { label: "Mistral", base_url: "https://api.mistral.ai/v1", calls_tools: true },
  xai: { label: "xAI", base_url: "https://api.x.ai/v1", calls_tools: true },
  zai: { label: "Z.ai", base_url: "https://open.bigmodel.cn/api/paas/v4", calls_tools: true },
};

/** What a model can be configured as. */
export const MODEL_TYPE_NAMES: readonly string[] = Object.entries(MODEL_TYPES)
  .filter(([, { override_only }]) => !override_only)
  .map(([name]) => name);

const typeOf = (name: string): ModelType | undefined =>
  Object.hasOwn(MODEL_TYPES, name) ? MODEL_TYPES[name] : undefined;

/** The stored type of a type's name, and its preset address; undefined for a name that can't be configured. */
export function resolveModelType(
  name: string,
): { type: string; base_url: string | undefined } | undefined {
  const type = typeOf(name);
  if (!type || type.override_only) return undefined;
  return { type: type.stored_as ?? name, base_url: type.base_url };
}

export const presetAddress = (name: string): string | undefined => typeOf(name)?.base_url;

export const isKnownToCallTools = (name: string): boolean => typeOf(name)?.calls_tools ?? false;

/** What a model of this type can't do without. */
export const requirementsOf = (name: string) => {
  const { needs_base_url = false, needs_api_key = false } = typeOf(name) ?? {};
  return { needs_base_url, needs_api_key };
};
