import { z } from "zod";
import { Timestamp } from "../kernel/fields.ts";

export const SettingUpdate = z.object({
  key: z.string().min(1).max(128),
  /** A text; a boolean or a list is kept as its JSON text (contract 2.17). */
  value: z
    .union([z.string(), z.boolean(), z.array(z.string())])
    .transform((value) => (typeof value === "string" ? value : JSON.stringify(value)))
    .pipe(z.string().max(65_536)),
});

/** One tenant setting; any key may be set (contract 2.17). */
export const Setting = z.object({ key: z.string(), value: z.string(), updated_at: Timestamp });
export type Setting = z.infer<typeof Setting>;

export const BYOK_ENABLED = "byok.enabled";
export const BYOK_ALLOWED_PROVIDERS = "byok.allowed_providers";
/** Seconds until an approval that nobody gives counts as refused. */
export const CONFIRMATION_TIMEOUT = "confirmation.timeout_seconds";

/** Settings that exist from the first start on, so that a list shows what can be set. */
export const SEEDED_SETTINGS: Readonly<Record<string, string>> = {
  [BYOK_ENABLED]: "false",
  [BYOK_ALLOWED_PROVIDERS]: "[]",
  [CONFIRMATION_TIMEOUT]: "600",
};

export interface SettingReads {
  list(): Promise<Setting[]>;
  get(key: string): Promise<Setting | undefined>;
}

export interface SettingWrites extends SettingReads {
  put(setting: Setting): Promise<void>;
}

/** A list setting, as a JSON array or as words between commas (contract 2.17). */
export function listOf(value = ""): string[] {
  const words = value.trim().startsWith("[") ? parseList(value) : value.split(",");
  return words.map((word) => word.trim().toLowerCase()).filter(Boolean);
}

function parseList(value: string): string[] {
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed.map(String) : [];
  } catch {
    return [];
  }
}

const CONFIRMATION_DEFAULT_S = 600;
const CONFIRMATION_MAX_S = 604_800;

/** In seconds; nonsense falls back to the default. */
export function confirmationTimeout(setting: Setting | undefined): number {
  const seconds = Number(setting?.value);
  const is_sound = Number.isInteger(seconds) && seconds > 0 && seconds <= CONFIRMATION_MAX_S;
  return is_sound ? seconds : CONFIRMATION_DEFAULT_S;
}
