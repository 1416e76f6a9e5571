import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createCheckpoints } from "#store/sqlite/checkpoints.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { native } from "../support/native.ts";
import { schemaRecord } from "./records.ts";
import { temporaryFolder } from "./stores.ts";

const MEGABYTE = 1024 * 1024;

/** A store to write a megabyte to, again and again. */
function opened(checkpoint: () => Promise<unknown>) {
  const database = { file: join(temporaryFolder(), "troupe.db"), native };
  const store = openSqliteStore({ ...database, checkpoint });
  onTestFinished(() => store.close());
  let count = 0;
  const writeMuch = async () => {
    const id = `schema ${count++}`;
    const description = "x".repeat(MEGABYTE);
    await store.write((tx) => tx.schemas.insert(schemaRecord(id, { description })));
  };
  return { database, store, writeMuch, logBytes: () => statSync(`${database.file}-wal`).size };
}

test("the log is moved into the file elsewhere, and begins anew", async () => {
  const checkpoints = createCheckpoints();
  let done = 0;
  const { database, store, writeMuch, logBytes } = opened(async () => {
    await checkpoints(database);
    done += 1;
  });
  for (let count = 0; count < 16; count += 1) await writeMuch();
  await vi.waitFor(() => expect(done).toBe(1));
  expect(statSync(database.file).size).toBeGreaterThan(16 * MEGABYTE);
  await writeMuch();
  expect(logBytes()).toBeLessThan(2 * MEGABYTE);
  expect(await store.read.schemas.list()).toHaveLength(17);
});

test("a log that nobody moves is moved by a commit before it grows without end", async () => {
  const { writeMuch, logBytes } = opened(() => Promise.reject(new Error("no thread")));
  for (let count = 0; count < 80; count += 1) await writeMuch();
  expect(logBytes()).toBeLessThan(70 * MEGABYTE);
});
