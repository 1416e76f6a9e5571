import { z } from "zod";
import { defineOperation } from "../operation.ts";
import { Setting, SettingUpdate } from "./setting.ts";

export const listSettings = defineOperation({
  name: "settings.list",
  summary: "List settings",
  scope: "settings:read",
  effect: "read",
  input: z.object({}),
  output: z.array(Setting),
  run: ({ read }) => read.settings.list(),
});

export const updateSetting = defineOperation({
  name: "settings.update",
  summary: "Set one setting",
  scope: "settings:write",
  effect: "write",
  input: SettingUpdate,
  output: Setting,
  run: (ctx, { key, value }) =>
    ctx.write(async (tx) => {
      const setting = { key, value, updated_at: ctx.now().toISOString() };
      await tx.settings.put(setting);
      return setting;
    }),
});
