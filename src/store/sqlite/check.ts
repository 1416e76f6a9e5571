import { existsSync, statSync } from "node:fs";
import Database from "better-sqlite3";
import { connect } from "./database.ts";
import { requireUsable, requireWhole } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import type { NativeFiles } from "./native.ts";

/** Uses SQLite and its full-text search, in memory; tells what was found. Throws when it does not work. */
export const checkDatabase = ({ addon }: NativeFiles): string =>
  inMemory(addon, (connection) => {
    connection.exec(
      "CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('a troupe plays')",
    );
    expectAnswer(connection, "SELECT count(*) FROM words WHERE words MATCH 'troupe'", 1);
    return `SQLite ${answerTo(connection, "SELECT sqlite_version()")} with full-text search`;
  });

/** The same for the vector extension. */
export const checkVectors = ({ addon, vector }: NativeFiles): string =>
  inMemory(addon, (connection) => {
    connection.loadExtension(vector);
    connection.exec(
      "CREATE VIRTUAL TABLE places USING vec0(embedding float[2]);" +
        "INSERT INTO places(rowid, embedding) VALUES (1, '[0, 1]'), (2, '[1, 0]')",
    );
    const nearest = "SELECT rowid FROM places WHERE embedding MATCH '[0.9, 0.1]' AND k = 1";
    expectAnswer(connection, nearest, 2);
    return `sqlite-vec ${answerTo(connection, "SELECT vec_version()")}`;
  });

/** Reads a database file, also one that is being served. Throws what a start would, and changes nothing. */
export function checkFile(file: string, native: () => NativeFiles): string {
  requireWhole(file);
  if (!existsSync(file)) return "none yet";
  const connection = connect({ file, native: native(), readonly: true });
  try {
    const version = requireUsable(connection);
    const size = `${(statSync(file).size / 1024 ** 2).toFixed(1)} MiB, version ${version}`;
    if (version === MIGRATIONS.length) return size;
    return `${size}; the next start brings it to version ${MIGRATIONS.length}`;
  } finally {
    connection.close();
  }
}

function inMemory(addon: string, work: (connection: Database.Database) => string): string {
  const connection = new Database(":memory:", { nativeBinding: addon });
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

function expectAnswer(connection: Database.Database, query: string, expected: number): void {
  if (answerTo(connection, query) !== expected) throw new Error("a search gave a wrong answer");
}

const answerTo = (connection: Database.Database, query: string): unknown =>
  connection.prepare(query).pluck().get();
