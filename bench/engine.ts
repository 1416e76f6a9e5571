/** An engine as the product composes it, on a store of its own, without HTTP: for what is measured in this process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKeyPair } from "jose";
import { createReader } from "#cli/threads/reader.ts";
import { ALGORITHM, createVerifier } from "#engine/auth/jwt.ts";
import { createEngine } from "#engine/engine.ts";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import { builtInTools } from "#engine/tools/built-in.ts";
import { longReadsThrough } from "#store/sqlite/long-reads.ts";
import { installedNativeFiles } from "#store/sqlite/native.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";

export async function startEngine() {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const database = {
    file: join(folder, "troupe.db"),
    native: installedNativeFiles(import.meta.url),
  };
  const threads = { knowledge: createReader(), graphs: createReader(), documents: createReader() };
  const store = openSqliteStore({ ...database, long_reads: longReadsThrough(threads, database) });
  const { publicKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519" });
  const engine = createEngine({
    store,
    version: "bench",
    secrets: createSecretBox(new Uint8Array(32)),
    verifier: createVerifier(publicKey, undefined),
    issuer: undefined,
    tools: builtInTools,
    runInThread: threads.documents.run,
    log: { info: () => {}, warn: () => {}, error: console.error },
    owner: "bench",
  });
  const stop = async () => {
    for (const thread of Object.values(threads)) await thread.close();
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { engine, store, stop };
}
