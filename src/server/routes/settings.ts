import { listSettings, updateSetting } from "#engine/settings/operations.ts";
import { get, put, type Route } from "../http/route.ts";

export const settingRoutes: readonly Route[] = [
  get("/settings", listSettings),
  put("/settings/:key", updateSetting),
];
