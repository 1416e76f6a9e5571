import { asc, eq } from "drizzle-orm";
import type { SettingWrites } from "#engine/settings/setting.ts";
import type { Db } from "./database.ts";
import { settings } from "./tables.ts";

export const settingRepository = (db: Db): SettingWrites => ({
  list: async () => db.select().from(settings).orderBy(asc(settings.key)).all(),
  get: async (key) => db.select().from(settings).where(eq(settings.key, key)).get(),
  async put(setting) {
    const { value, updated_at } = setting;
    db.insert(settings)
      .values(setting)
      .onConflictDoUpdate({ target: settings.key, set: { value, updated_at } })
      .run();
  },
});
