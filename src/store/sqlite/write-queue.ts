import { AsyncLocalStorage } from "node:async_hooks";
import { type Connection, explained } from "./database.ts";

/**
 * Runs transactions one after another on one connection. better-sqlite3's own `transaction` would
 * commit at an async function's first await, so the statements are given by hand. Throws EngineError
 * `unavailable` when the disk is full or cannot be written.
 */
export function createWriteQueue(connection: Connection, onCommit: () => void = () => undefined) {
  const begin = connection.prepare("BEGIN IMMEDIATE");
  const commit = connection.prepare("COMMIT");
  const rollback = connection.prepare("ROLLBACK");
  const inside = new AsyncLocalStorage<true>();
  let tail: Promise<unknown> = Promise.resolve();

  async function transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      begin.run();
      const result = await inside.run(true, work);
      commit.run();
      onCommit();
      return result;
    } catch (error) {
      if (connection.inTransaction) rollback.run();
      throw explained(error);
    }
  }

  return <Result>(work: () => Promise<Result>): Promise<Result> => {
    // Waiting for itself, a nested write would hang for ever.
    if (inside.getStore()) return Promise.reject(new Error("a write within a write"));
    const result = tail.then(() => transaction(work));
    tail = result.catch(() => undefined);
    return result;
  };
}
