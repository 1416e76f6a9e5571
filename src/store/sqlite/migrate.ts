import { existsSync, statSync } from "node:fs";
import { EngineError } from "#engine/kernel/error.ts";
import type { Connection } from "./database.ts";
import { MIGRATIONS, type Migration } from "./migrations.ts";

/** Marks a database file as this product's ("trpe"). */
const APPLICATION_ID = 0x74727065;

/** Checking every page of a larger file would hold up each start. */
const CHECKED_BYTES_MAX = 256 * 1024 * 1024;

/**
 * Brings a database to this version, each migration in one transaction and after a copy of the file.
 * Throws EngineError `unavailable` when the database is damaged, foreign, or newer than this program.
 */
export function migrate(
  connection: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): void {
  const version = requireUsable(connection, migrations);
  if (version === migrations.length) return;
  if (version > 0) copyBefore(connection, version);
  connection
    .transaction(() => {
      // Another process may have been faster while this one waited for the lock.
      const current = Number(connection.pragma("user_version", { simple: true }));
      for (const { statements } of migrations.slice(current)) {
        for (const statement of statements) connection.exec(statement);
      }
      connection.pragma(`application_id = ${APPLICATION_ID}`);
      connection.pragma(`user_version = ${migrations.length}`);
    })
    .immediate();
}

/** Gives the version that a database has. Throws as `migrate` does, and changes nothing. */
export function requireUsable(
  connection: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): number {
  requireSound(connection);
  const version = Number(connection.pragma("user_version", { simple: true }));
  if (version > migrations.length) {
    throw refused(
      connection.name,
      `it was written by a newer version (${version}, this one knows ${migrations.length}); use that version`,
    );
  }
  requireOurs(connection, version);
  return version;
}

/** Refuses a log without its database: opening it would silently begin a new, empty one. */
export function requireWhole(file: string): void {
  if (existsSync(file) || !existsSync(`${file}-wal`)) return;
  throw refused(
    file,
    `the file is missing, while its log ${file}-wal is there; restore it from a copy`,
  );
}

function requireSound(connection: Connection): void {
  const file = connection.name;
  if (!existsSync(file) || statSync(file).size > CHECKED_BYTES_MAX) return;
  let result: unknown;
  try {
    result = connection.pragma("quick_check(1)", { simple: true });
  } catch (cause) {
    throw refused(file, "it is damaged; restore it from a copy", cause);
  }
  if (result !== "ok")
    throw refused(file, `it is damaged (${String(result)}); restore it from a copy`);
}

function requireOurs(connection: Connection, version: number): void {
  const id = Number(connection.pragma("application_id", { simple: true }));
  const tables = connection.prepare("select count(*) from sqlite_schema").pluck().get();
  if (id === APPLICATION_ID || (version === 0 && tables === 0)) return;
  throw refused(connection.name, "it belongs to another program; choose another data directory");
}

function copyBefore(connection: Connection, version: number): void {
  const copy = `${connection.name}.before-${version + 1}`;
  if (existsSync(copy)) return;
  connection.prepare("VACUUM INTO ?").run(copy);
}

const refused = (file: string, why: string, cause?: unknown) =>
  new EngineError("unavailable", `the database ${file} cannot be used: ${why}`, { cause });
