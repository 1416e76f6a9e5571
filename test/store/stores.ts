import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createThread } from "#cli/threads/thread.ts";
import { startWorker } from "#cli/threads/worker.ts";
import type { Store } from "#engine/store.ts";
import { longReadsThrough } from "#store/sqlite/long-reads.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { native } from "../support/native.ts";
import { agentRecord, schemaRecord, sessionRecord } from "./records.ts";

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
  {
    name: "sqlite with long reads and checkpoints in a thread",
    open() {
      const database = { file: join(temporaryFolder(), "troupe.db"), native };
      const program = `import ${JSON.stringify(import.meta.resolve("../../bin/reader.ts"))};`;
      const thread = createThread(async () => startWorker({ program }));
      const long_reads = longReadsThrough({ knowledge: thread, graphs: thread }, database);
      const checkpoint = () => thread.run("checkpoint", database);
      const store = openSqliteStore({ ...database, long_reads, checkpoint });
      onTestFinished(async () => {
        await thread.close();
        await store.close();
      });
      return store;
    },
  },
];

/** The agents a, b and c, the schemas s and t, and ann's session s. */
export async function filled(store: Store): Promise<Store> {
  await store.write(async (tx) => {
    for (const name of ["a", "b", "c"]) await tx.agents.insert(agentRecord(name));
    for (const name of ["s", "t"]) await tx.schemas.insert(schemaRecord(name));
    await tx.sessions.insert(sessionRecord("s", { user_sub: "ann" }));
  });
  return store;
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
