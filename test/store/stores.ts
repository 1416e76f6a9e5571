import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Store } from "#engine/store.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { native } from "../support/native.ts";

/** Every store there is; each must pass the whole suite. */
export const STORES: readonly { name: string; open: () => Store }[] = [
  {
    name: "sqlite",
    open() {
      const folder = temporaryFolder();
      const store = openSqliteStore({ file: join(folder, "troupe.db"), native });
      onTestFinished(() => store.close());
      return store;
    },
  },
];

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
