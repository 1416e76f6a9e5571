import { statSync } from "node:fs";
import { type Connection, type ConnectOptions, connect } from "./database.ts";

/**
 * Moves what is in SQLite's log into its file. That waits for the disk, for as long as half of all commits
 * take together; done by a connection of another thread, no stream waits for it.
 */
export type Checkpoint = () => Promise<unknown>;

/** From this size on the log is worth the effort. */
const LOG_BYTES = 4 * 1024 * 1024;
/** So many commits pass between two looks at its size. */
const LOOK_EVERY = 16;

/**
 * To be called behind each commit: has the log moved when it has grown. A commit does it itself when the log
 * grows far over that, so a checkpoint that fails does no harm.
 */
export function checkpointer(connection: Connection, checkpoint: Checkpoint): () => void {
  const log = `${connection.name}-wal`;
  connection.pragma(`wal_autocheckpoint = ${FALLBACK_PAGES}`);
  // The log begins anew when it has been moved; only then its size tells how much is in it.
  connection.pragma(`journal_size_limit = ${LOG_BYTES / 4}`);
  let commits = 0;
  let is_running = false;
  return () => {
    commits += 1;
    if (is_running || commits % LOOK_EVERY !== 0 || sizeOf(log) < LOG_BYTES) return;
    is_running = true;
    const finish = () => {
      is_running = false;
    };
    checkpoint().then(finish, finish);
  };
}

/** 64 MB. */
const FALLBACK_PAGES = 16_000;

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** What a thread does: it serves one database, which its first checkpoint opens. */
export function createCheckpoints(): (database: ConnectOptions) => Promise<unknown> {
  let connection: Connection | undefined;
  return async (database) => {
    connection ??= connect(database);
    // Waits for nobody: what is still being read stays in the log for the next time.
    return connection.pragma("wal_checkpoint(PASSIVE)");
  };
}
