import { expect, test } from "vitest";
import { checkDatabase, checkVectors } from "#store/sqlite/check.ts";
import { native } from "../support/native.ts";

test("SQLite and its vector extension tell what they are", () => {
  expect(checkDatabase(native)).toMatch(/^SQLite 3\.\d+\.\d+ with full-text search$/);
  expect(checkVectors(native)).toMatch(/^sqlite-vec v\d/);
});

test("a vector extension that does not load is its own failure, not the database's", () => {
  const broken = { ...native, vector: "/nowhere/vec0.so" };
  expect(checkDatabase(broken)).toMatch(/^SQLite/);
  expect(() => checkVectors(broken)).toThrow(/nowhere/);
});
