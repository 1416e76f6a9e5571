import type { Context } from "../context.ts";
import { badRequest, forbidden } from "../kernel/error.ts";
import { presetAddress } from "../providers/model-types.ts";
import { isPublicUrl } from "../providers/public-address.ts";
import { BYOK_ALLOWED_PROVIDERS, BYOK_ENABLED, listOf } from "../settings/setting.ts";

/** The caller's own model and key for one request, as its headers name them (specification 4 Chat). */
export interface OwnModel {
  readonly provider?: string | undefined;
  readonly api_key?: string | undefined;
  readonly model?: string | undefined;
  readonly base_url?: string | undefined;
}

/** What it makes of a turn's models; what it leaves out stays as configured (decision 28). */
export interface OverridingModel {
  readonly type: string;
  readonly api_key: string;
  readonly model_name?: string | undefined;
  readonly base_url?: string | undefined;
  /** The caller named the address. */
  readonly is_public_only?: boolean | undefined;
}

/** Whose address can't be chosen by the caller, nor by who configured the agent's model. */
const PINNED = ["openai", "openrouter", "anthropic"];

/** Whose address is the agent's model's, unless the caller names a public one. */
const FREE = ["openai_compatible", "ollama"];

const PROVIDERS = [...PINNED, ...FREE];

/** Throws `forbidden` when it is not allowed here, `bad_request` when it can't be used. */
export async function readOwnModel(ctx: Context, own: OwnModel): Promise<OverridingModel> {
  const { settings } = ctx.read;
  if ((await settings.get(BYOK_ENABLED))?.value !== "true") {
    throw forbidden("model overrides are disabled: setting byok.enabled is not true");
  }
  const { api_key } = own;
  const provider = own.provider?.toLowerCase();
  if (!provider) throw badRequest("X-Model-Provider: is required with a model override");
  if (!api_key) throw badRequest("X-Model-API-Key: is required with a model override");
  const allowed = listOf((await settings.get(BYOK_ALLOWED_PROVIDERS))?.value);
  if (!allowed.includes(provider)) {
    throw forbidden(`provider "${provider}" is not in the setting byok.allowed_providers`);
  }
  if (!PROVIDERS.includes(provider)) {
    throw badRequest(`X-Model-Provider: "${provider}" is none of ${PROVIDERS.join(", ")}`);
  }
  const base_url = baseUrlOf(provider, own.base_url);
  const is_public_only = FREE.includes(provider) && base_url !== undefined;
  return { type: provider, model_name: own.model, api_key, base_url, is_public_only };
}

function baseUrlOf(provider: string, given: string | undefined): string | undefined {
  if (PINNED.includes(provider)) {
    if (given) throw badRequest(`X-BYOK-Base-URL: cannot be chosen for provider ${provider}`);
    return presetAddress(provider);
  }
  if (!given) return undefined;
  if (!isPublicUrl(given)) {
    throw badRequest("X-BYOK-Base-URL: must be a public http or https address");
  }
  return given.replace(/\/+$/, "");
}
