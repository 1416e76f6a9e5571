import { z } from "zod";
import { Timestamp } from "../kernel/fields.ts";

export const SettingUpdate = z.object({
  key: z.string().min(1).max(128),
  value: z.string().max(65_536),
});

/** One tenant setting; any key may be set (contract 2.17). */
export const Setting = z.object({ key: z.string(), value: z.string(), updated_at: Timestamp });
export type Setting = z.infer<typeof Setting>;

/** Settings that exist from the first start on, so that a list shows what can be set. */
export const SEEDED_SETTINGS: Readonly<Record<string, string>> = {
  "byok.enabled": "false",
  "byok.allowed_providers": "[]",
};

export interface SettingReads {
  list(): Promise<Setting[]>;
  get(key: string): Promise<Setting | undefined>;
}

export interface SettingWrites extends SettingReads {
  put(setting: Setting): Promise<void>;
}
