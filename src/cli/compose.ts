import { tmpdir } from "node:os";
import type { EngineDependencies } from "#engine/create-services.ts";
import { createEngine, type Engine } from "#engine/engine.ts";
import type { Logger } from "#engine/services.ts";
import { builtInTools } from "#engine/tools/built-in.ts";
import { backUp } from "#store/sqlite/backup.ts";
import { checkDatabase, checkFile, checkVectors } from "#store/sqlite/check.ts";
import { acquireLock, type DirectoryLock } from "#store/sqlite/lock.ts";
import { longReadsThrough } from "#store/sqlite/long-reads.ts";
import {
  extractNativeFiles,
  installedNativeFiles,
  type NativeFiles,
} from "#store/sqlite/native.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { isExecutable, readAsset, version } from "./assets.ts";
import { filesOf, prepareDirectory } from "./data-directory.ts";
import { loadKeys } from "./keys.ts";
import { createLauncher } from "./programs/launcher.ts";
import type { ServiceConfig } from "./settings/settings.ts";
import { createEmbedder } from "./threads/embedder.ts";
import { extractInThread } from "./threads/extraction.ts";
import { createReader } from "./threads/reader.ts";
import { userCache } from "./user-cache.ts";

export interface Composition {
  readonly engine: Engine;
  /** After the engine has stopped. */
  close(): Promise<void>;
}

/** The composition root: from configuration to a working engine, in straight lines. */
export async function compose(
  config: ServiceConfig,
  {
    log,
    owner,
    readDocument,
  }: { log: Logger; owner: string; readDocument?: EngineDependencies["readDocument"] },
): Promise<Composition> {
  // What is kept here is for this user alone, also in a directory that others may read.
  process.umask(0o077);
  prepareDirectory(config.data_dir);
  const files = filesOf(config.data_dir);
  const keys = await loadKeys(config);
  const database = { file: files.database, native: native() };
  const threads = {
    knowledge: createReader(),
    graphs: createReader(),
    documents: createReader(),
    checkpoints: createReader(),
  };
  const embedder = createEmbedder();
  const long_reads = longReadsThrough(threads, database);
  const checkpoint = () => threads.checkpoints.run("checkpoint", database);
  const store = openSqliteStore({ ...database, long_reads, checkpoint });
  const { rate_limits, task_concurrency } = config;
  const shared = { store, version, log, owner, tools: builtInTools, rate_limits, task_concurrency };
  const servers = {
    stdio_policy: config.mcp_stdio,
    launchProgram: createLauncher(process.env),
    readVariable: (name: string) => process.env[name],
    mcp_call_ms: config.mcp_call_timeout * 1000,
    mcp_idle_ms: config.mcp_idle_timeout * 1000,
  };
  const reading = {
    extract: extractInThread,
    embedded_model: embedder.model,
    readDocument,
    runInThread: threads.documents.run,
  };
  const engine = createEngine({ ...keys, ...shared, ...servers, ...reading });
  return {
    engine,
    async close() {
      for (const thread of Object.values(threads)) await thread.close();
      await embedder.close();
      await store.close();
    },
  };
}

/** Undefined when another server has the directory. */
export function lockDirectory(data_dir: string): DirectoryLock | undefined {
  prepareDirectory(data_dir);
  return acquireLock(filesOf(data_dir).lock, native());
}

/** What each part of the store says of itself; throws when it does not work here. */
export const checkStore = {
  database: () => checkDatabase(native()),
  vectors: () => checkVectors(native()),
  file: (data_dir: string) => checkFile(filesOf(data_dir).database, native),
};

/** Copies a directory's database into a new file; tells which key opens what is sealed in it. */
export async function backUpData(data_dir: string, keys_dir: string | undefined, file: string) {
  process.umask(0o077);
  const { database, secret_key } = filesOf(data_dir, keys_dir);
  return { ...(await backUp({ database, file, native: native() })), secret_key };
}

let unpacked: NativeFiles | undefined;

/** The native parts: as installed in a checkout, unpacked by the executable once. */
function native(): NativeFiles {
  if (!isExecutable) return installedNativeFiles(import.meta.url);
  unpacked ??= extractNativeFiles(readAsset, { cache: userCache(), temporary: tmpdir() });
  return unpacked;
}
