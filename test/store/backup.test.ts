import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { backUp } from "#store/sqlite/backup.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { native } from "../support/native.ts";
import { temporaryFolder } from "./stores.ts";

const setting = (key: string, value: string) => ({
  key,
  value,
  updated_at: "2026-01-01T00:00:00Z",
});

function openStore() {
  const database = join(temporaryFolder(), "troupe.db");
  const store = openSqliteStore({ file: database, native });
  const put = (key: string) => store.write((tx) => tx.settings.put(setting(key, key)));
  return { database, store, put };
}

describe("a backup", () => {
  test("holds what was there at its moment, in one file for its user alone", async () => {
    const { database, store, put } = openStore();
    await put("before");
    const file = join(temporaryFolder(), "copy.db");
    const { bytes } = await backUp({ database, file, native });
    await put("after");
    expect(statSync(file)).toMatchObject({ size: bytes, mode: 0o100600 });
    expect(readdirSync(dirname(file))).toEqual(["copy.db"]);

    const restored = openSqliteStore({ file, native });
    expect((await restored.read.settings.list()).map(({ key }) => key)).toEqual(["before"]);
    await restored.close();
    await store.close();
  });

  test("comes to its end while others write", async () => {
    const { database, store, put } = openStore();
    const file = join(temporaryFolder(), "copy.db");
    let is_done = false;
    const writing = (async () => {
      for (let number = 0; !is_done; number += 1) {
        await put(`n${number}`);
        // The store answers without a go of the event loop: the backup needs one now and then.
        await setImmediate();
      }
    })();
    const { version } = await backUp({ database, file, native });
    is_done = true;
    await writing;
    expect(version).toBeGreaterThan(0);
    await store.close();
  });

  test("keeps a file that is there, and leaves none where it fails", async () => {
    const { database, store } = openStore();
    const file = join(temporaryFolder(), "copy.db");
    writeFileSync(file, "mine");
    await expect(backUp({ database, file, native })).rejects.toThrow(/is there already/);
    expect(readFileSync(file, "utf8")).toBe("mine");
    await store.close();

    const broken = join(temporaryFolder(), "troupe.db");
    writeFileSync(broken, "no database".repeat(1000));
    const nothing = join(temporaryFolder(), "nothing.db");
    await expect(backUp({ database: broken, file: nothing, native })).rejects.toThrow(
      /not a database/,
    );
    expect(existsSync(nothing)).toBe(false);
    await expect(backUp({ database: "/nowhere", file: nothing, native })).rejects.toThrow(
      /not found/,
    );
  });
});
