import { installedNativeFiles } from "#store/sqlite/native.ts";

export const native = installedNativeFiles(import.meta.url);
