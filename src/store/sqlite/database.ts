import Database from "better-sqlite3";
import { BetterSQLite3Database, BetterSQLiteSession } from "drizzle-orm/better-sqlite3";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { EngineError } from "#engine/kernel/error.ts";
import type { NativeFiles } from "./native.ts";

export type Connection = Database.Database;
type Empty = Record<string, never>;
export type Db = BetterSQLite3Database & { readonly $client: Connection };

/** How long a connection waits for another process's transaction. */
const BUSY_TIMEOUT_MS = 10_000;

/** 16 MB: pages that are written again and again go into the file, and wait for the disk, less often. */
const CHECKPOINT_PAGES = 4000;

export interface ConnectOptions {
  readonly file: string;
  readonly native: NativeFiles;
  readonly readonly?: boolean;
}

/** Opens a connection as every part of the store needs it. Throws EngineError `unavailable`. */
export function connect({ file, native, readonly = false }: ConnectOptions): Connection {
  try {
    const connection = new Database(file, { readonly, nativeBinding: native.addon });
    // First of all, so that the pragmas themselves can wait for a neighbour.
    connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    if (!readonly) {
      connection.pragma("journal_mode = WAL");
      // With WAL, a killed process loses nothing; only a power cut may lose the last transactions.
      connection.pragma("synchronous = NORMAL");
      connection.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    }
    connection.pragma("foreign_keys = ON");
    connection.loadExtension(native.vector);
    connection.function("fold", { deterministic: true }, fold);
    return connection;
  } catch (cause) {
    throw openFailed(file, cause);
  }
}

/** Lower case of every script; SQLite's own `lower` knows ASCII only. */
export const fold = (text: unknown): string => String(text).normalize("NFC").toLowerCase();

/**
 * Queries whose plan is made once. SQLite as it is built here would plan most of them again for each value
 * they are given, which costs more than running them; of `+?` it does not know that a value comes.
 */
export function queries(connection: Connection): Db {
  const dialect = Object.assign(new SQLiteSyncDialect(), { escapeParam: () => "+?" });
  const session = new BetterSQLiteSession<Empty, Empty>(connection, dialect, undefined);
  const db = new BetterSQLite3Database<Empty>("sync", dialect, session, undefined);
  return Object.assign(db, { $client: connection });
}

function openFailed(file: string, cause: unknown): EngineError {
  const code = cause instanceof Database.SqliteError ? cause.code : "";
  const text = cause instanceof Error ? cause.message : String(cause);
  return new EngineError("unavailable", `${file}: ${EXPLANATIONS[code] ?? text}`, { cause });
}

/** What keeps a database from being written is no bug, and whoever runs it can do something about it. */
export function explained(error: unknown): unknown {
  const cause = (error as { cause?: unknown } | null)?.cause;
  const found = [error, cause].find((one) => one instanceof Database.SqliteError);
  const text = EXPLANATIONS[found?.code ?? ""];
  if (!text) return error;
  return new EngineError("unavailable", `nothing can be stored: ${text}`, { cause: error });
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: "this is not a database, or it is damaged; restore it from a copy",
  SQLITE_CORRUPT: "the database is damaged; restore it from a copy",
  SQLITE_READONLY: "the database cannot be written: check the permissions of the data directory",
  SQLITE_READONLY_DIRECTORY: "the data directory cannot be written: check its permissions",
  SQLITE_CANTOPEN:
    "the database cannot be opened: check that the data directory exists and can be written",
  SQLITE_FULL: "the disk is full",
  SQLITE_BUSY: "another program holds the database; try again when it is done",
};
