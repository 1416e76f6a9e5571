import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { reloadConfig } from "#engine/config/operations.ts";
import type { Engine } from "#engine/engine.ts";
import { EngineError } from "#engine/kernel/error.ts";
import { adminSession } from "#engine/kernel/principal.ts";
import type { Logger } from "#engine/services.ts";
import { type DocumentFiles, namedFiles, readDocumentFiles } from "./document-files.ts";
import { filesOf } from "./yaml-files.ts";

/** What `serve --config` holds beside settings: applied at the start, and again when it changes. */
export interface ServedDocument {
  /** What it says now. Throws a usage error when it can't be read. */
  read(): Promise<DocumentFiles>;
  /** Calls back after each change, one call at a time, until it is stopped. */
  watch(changed: () => Promise<void>): { stop(): void };
}

/** Asked for, not waited for: that works on every disk, and however an editor replaces its files. */
const LOOK_EVERY_MS = 1_000;

export function servedDocument(path: string, environment: NodeJS.ProcessEnv): ServedDocument {
  let beside: string[] = [];
  const read = async () => {
    const files = await readDocumentFiles(path, environment);
    beside = files.documents.flatMap(({ file = path, text }) =>
      namedFiles(text).map((name) => resolve(dirname(file), name)),
    );
    return files;
  };
  return {
    read,
    watch(changed) {
      let seen = fingerprint(path, beside);
      let is_busy = false;
      const look = async () => {
        const now = fingerprint(path, beside);
        if (is_busy || now === seen) return;
        seen = now;
        is_busy = true;
        await changed().finally(() => {
          is_busy = false;
        });
      };
      const timer = setInterval(() => void look(), LOOK_EVERY_MS).unref();
      return { stop: () => clearInterval(timer) };
    },
  };
}

/** Of another value when a file came, went or was written. */
function fingerprint(path: string, beside: readonly string[]): string {
  return [...yamlFiles(path), ...beside].map(stampOf).join("\n");
}

function yamlFiles(path: string): string[] {
  try {
    return filesOf(path);
  } catch {
    return [];
  }
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? `${file} ${found.ino} ${found.size} ${found.mtimeMs}` : `${file} is gone`;
}

/** Applies the served document and tells what it did. Throws what the engine throws. */
export async function applyServed(engine: Engine, log: Logger): Promise<void> {
  const { applied } = await engine.call(adminSession("config"), reloadConfig, {});
  if (!applied) return;
  const { created, updated, deleted, unchanged, warnings, errors } = applied;
  const is_empty = created + updated + deleted + unchanged + errors.length === 0;
  for (const warning of warnings) log.warn({}, `configuration: ${warning}`);
  for (const error of errors) log.error({}, `configuration: ${error}`);
  if (!is_empty) log.info({ created, updated, deleted, unchanged }, "configuration applied");
}

/** One that can't be applied changes nothing: the server goes on with what it has. */
export async function applyChanged(engine: Engine, log: Logger): Promise<void> {
  try {
    await applyServed(engine, log);
  } catch (error) {
    const is_known = error instanceof EngineError && error.code !== "internal";
    if (is_known) log.error({}, `the changed configuration is not applied: ${error.message}`);
    else log.error({ err: error }, "the changed configuration could not be applied");
  }
}
