import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { conflict, EngineError, notFound } from "#engine/kernel/error.ts";
import { connect, explained } from "./database.ts";
import { requireUsable } from "./migrate.ts";
import type { NativeFiles } from "./native.ts";

export interface Backup {
  readonly bytes: number;
  /** Of the database's layout: a program that knows it can read the copy. */
  readonly version: number;
}

export interface BackupOptions {
  readonly database: string;
  /** Made new, readable by this user alone; one that is there is kept. */
  readonly file: string;
  readonly native: NativeFiles;
}

/**
 * Copies the database as it is at one moment, also while a server writes to it, into one file. Nothing is left
 * where that fails. Throws `not_found`, `conflict` when the file is there, and `unavailable`.
 */
export async function backUp({ database, file, native }: BackupOptions): Promise<Backup> {
  if (!statSync(database, { throwIfNoEntry: false })) throw notFound("database", database);
  const draft = `${file}.draft`;
  reserve(file);
  try {
    reserve(draft);
    await copy({ database, file: draft, native });
    const version = close(draft, native);
    renameSync(draft, file);
    return { bytes: statSync(file).size, version };
  } catch (error) {
    for (const unfinished of [draft, `${draft}-journal`, file]) rmSync(unfinished, { force: true });
    throw explained(error);
  }
}

function reserve(file: string): void {
  try {
    writeFileSync(file, "", { flag: "wx", mode: 0o600 });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "EEXIST") throw conflict(`${file} is there already; choose another name`);
    throw new EngineError("unavailable", `cannot write: ${message}`, { cause });
  }
}

/** Everything at once: between two steps a server may write, and the copy would begin anew. */
async function copy({ database, file, native }: BackupOptions): Promise<void> {
  const connection = connect({ file: database, native, readonly: true });
  try {
    await connection.backup(file, { progress: () => ALL_PAGES });
  } finally {
    connection.close();
  }
}

const ALL_PAGES = 0x7fffffff;

/** Checks the copy, and makes it one file without a log beside it. */
function close(file: string, native: NativeFiles): number {
  const connection = connect({ file, native });
  try {
    const version = requireUsable(connection);
    connection.pragma("journal_mode = DELETE");
    return version;
  } finally {
    connection.close();
  }
}
