import Database from "better-sqlite3";
import type { NativeFiles } from "./native.ts";

export interface DirectoryLock {
  release(): void;
}

/**
 * Holds a file for this process alone, or returns undefined when another process has it. The
 * operating system lets go of SQLite's lock when a process dies, however it dies: no stale files.
 */
export function acquireLock(file: string, native: NativeFiles): DirectoryLock | undefined {
  const connection = new Database(file, { nativeBinding: native.addon });
  try {
    connection.pragma("busy_timeout = 0");
    connection.pragma("journal_mode = MEMORY");
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY"))
      return undefined;
    throw error;
  }
  return {
    release() {
      connection.exec("ROLLBACK");
      connection.close();
    },
  };
}
