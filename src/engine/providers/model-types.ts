interface ModelType {
  readonly label: string;
  /** Used when the model names no address of its own. */
  readonly base_url?: string;
  readonly needs_base_url?: true;
  readonly needs_api_key?: true;
  /** Set for a name that is accepted but stored as another type (specification section 2). */
  readonly stored_as?: string;
}

/** Every model type that can be configured. A new provider is one row here and one file beside it. */
const MODEL_TYPES: Readonly<Record<string, ModelType>> = {
  demo: { label: "Built-in demo (offline)" },
  ollama: { label: "Ollama", base_url: "http://127.0.0.1:11434" },
  openai_compatible: { label: "OpenAI-compatible server", needs_base_url: true },
  openrouter: {
    label: "OpenRouter",
    base_url: "https://openrouter.ai/api/v1",
    needs_api_key: true,
    stored_as: "openai_compatible",
  },
};

export const MODEL_TYPE_NAMES: readonly string[] = Object.keys(MODEL_TYPES);

const typeOf = (name: string): ModelType | undefined =>
  Object.hasOwn(MODEL_TYPES, name) ? MODEL_TYPES[name] : undefined;

/** The stored type of a type's name, and its preset address; undefined for an unknown name. */
export function resolveModelType(
  name: string,
): { type: string; base_url: string | undefined } | undefined {
  const type = typeOf(name);
  return type && { type: type.stored_as ?? name, base_url: type.base_url };
}

/** What a model of this type can't do without. */
export const requirementsOf = (name: string) => {
  const { needs_base_url = false, needs_api_key = false } = typeOf(name) ?? {};
  return { needs_base_url, needs_api_key };
};
