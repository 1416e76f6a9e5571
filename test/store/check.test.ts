import { existsSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkDatabase, checkFile, checkVectors } from "#store/sqlite/check.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { native } from "../support/native.ts";
import { temporaryFolder } from "./stores.ts";

test("SQLite and its vector extension tell what they are", () => {
  expect(checkDatabase(native)).toMatch(/^SQLite 3\.\d+\.\d+ with full-text search$/);
  expect(checkVectors(native)).toMatch(/^sqlite-vec v\d/);
});

test("a vector extension that does not load is its own failure, not the database's", () => {
  const broken = { ...native, vector: "/nowhere/vec0.so" };
  expect(checkDatabase(broken)).toMatch(/^SQLite/);
  expect(() => checkVectors(broken)).toThrow(/nowhere/);
});

describe("the check of a data directory's database", () => {
  test("makes none where there is none", () => {
    const file = join(temporaryFolder(), "troupe.db");
    expect(checkFile(file, () => native)).toBe("none yet");
    expect(existsSync(file)).toBe(false);
  });

  test("reads one that is in use", async () => {
    const file = join(temporaryFolder(), "troupe.db");
    const store = openSqliteStore({ file, native });
    expect(checkFile(file, () => native)).toMatch(/^\d+\.\d MiB, version \d+$/);
    await store.close();
  });

  test("tells of a damaged one, and leaves it as it is", async () => {
    const file = join(temporaryFolder(), "troupe.db");
    await openSqliteStore({ file, native }).close();
    truncateSync(file, 8192);
    const before = readFileSync(file);
    expect(() => checkFile(file, () => native)).toThrow(/damaged/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});
