/** An engine on a store of its own, without HTTP: for what is measured in this process. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateKeyPair } from "jose";
import { ALGORITHM, createVerifier } from "#engine/auth/jwt.ts";
import { createEngine } from "#engine/engine.ts";
import { createSecretBox } from "#engine/kernel/secrets.ts";
import { installedNativeFiles } from "#store/sqlite/native.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";

export async function startEngine() {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const native = installedNativeFiles(import.meta.url);
  const store = openSqliteStore({ file: join(folder, "troupe.db"), native });
  const { publicKey } = await generateKeyPair(ALGORITHM, { crv: "Ed25519" });
  const engine = createEngine({
    store,
    version: "bench",
    secrets: createSecretBox(new Uint8Array(32)),
    verifier: createVerifier(publicKey, undefined),
    issuer: undefined,
    tools: [],
    log: { info: () => {}, warn: () => {}, error: console.error },
    owner: "bench",
  });
  const stop = async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { engine, stop };
}
