import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { connect, queries } from "#store/sqlite/database.ts";
import { acquireLock } from "#store/sqlite/lock.ts";
import { migrate } from "#store/sqlite/migrate.ts";
import { MIGRATIONS } from "#store/sqlite/migrations.ts";
import { openSqliteStore } from "#store/sqlite/store.ts";
import { claimableQuery, strandedQuery } from "#store/sqlite/tasks.ts";
import { createWriteQueue } from "#store/sqlite/write-queue.ts";
import { native } from "../support/native.ts";
import { agentRecord } from "./records.ts";
import { temporaryFolder } from "./stores.ts";

async function existingDatabase(): Promise<string> {
  const file = join(temporaryFolder(), "troupe.db");
  const store = openSqliteStore({ file, native });
  await store.write((tx) => tx.agents.insert(agentRecord("kept")));
  await store.close();
  return file;
}

const open = (file: string) => openSqliteStore({ file, native });

describe("a write", () => {
  test("that the disk has no room for says so, changes nothing, and later ones work", async () => {
    const connection = connect({ file: join(temporaryFolder(), "full.db"), native });
    connection.exec("CREATE TABLE notes (text)");
    const write = createWriteQueue(connection);
    const add = (length: number) =>
      write(async () => {
        const note = connection.prepare("INSERT INTO notes VALUES (?)");
        note.run("small");
        note.run("x".repeat(length));
      });
    connection.pragma("max_page_count = 4");
    await expect(add(100_000)).rejects.toMatchObject({
      code: "unavailable",
      message: "nothing can be stored: the disk is full",
    });
    await add(10);
    expect(connection.prepare("SELECT count(*) FROM notes").pluck().get()).toBe(2);
    connection.close();
  });
});

describe("a database file", () => {
  test("is the same after it was closed and opened again", async () => {
    const store = open(await existingDatabase());
    expect((await store.read.agents.list()).map(({ name }) => name)).toEqual(["kept"]);
    await store.close();
  });

  test("of a newer version is refused and left as it was", async () => {
    const file = await existingDatabase();
    const connection = new Database(file);
    connection.pragma(`user_version = ${MIGRATIONS.length + 1}`);
    connection.close();
    const before = readFileSync(file);
    expect(() => open(file)).toThrow(/newer version/);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test("of another program is refused", () => {
    const file = join(temporaryFolder(), "troupe.db");
    const connection = new Database(file);
    connection.exec("CREATE TABLE notes (text)");
    connection.close();
    expect(() => open(file)).toThrow(/another program/);
  });

  test("that is no database is refused", () => {
    const file = join(temporaryFolder(), "troupe.db");
    writeFileSync(file, "this is a text file ".repeat(100));
    expect(() => open(file)).toThrow(/not a database/);
  });

  test("that was cut short is refused as damaged", async () => {
    const file = await existingDatabase();
    truncateSync(file, 8192);
    expect(() => open(file)).toThrow(/damaged/);
  });

  test("that is missing beside its log is refused instead of begun anew", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "troupe.db-wal"), "log");
    expect(() => open(join(folder, "troupe.db"))).toThrow(/missing, while its log/);
    expect(readdirSync(folder)).toEqual(["troupe.db-wal"]);
  });
});

describe("a migration", () => {
  const older = async () => {
    const file = await existingDatabase();
    return { file, connection: connect({ file, native }) };
  };

  test("copies the file first and keeps its content", async () => {
    const { file, connection } = await older();
    const next = { name: "next", statements: ["ALTER TABLE agents ADD COLUMN extra text"] };
    migrate(connection, [...MIGRATIONS, next]);
    expect(connection.prepare("SELECT name, extra FROM agents").all()).toEqual([
      { name: "kept", extra: null },
    ]);
    connection.close();
    const copy = new Database(`${file}.before-${MIGRATIONS.length + 1}`);
    expect(copy.prepare("SELECT name FROM agents").all()).toEqual([{ name: "kept" }]);
    copy.close();
  });

  test("that fails half-way leaves everything as it was", async () => {
    const { connection } = await older();
    const broken = { name: "broken", statements: ["CREATE TABLE half (a)", "CREATE NONSENSE"] };
    expect(() => migrate(connection, [...MIGRATIONS, broken])).toThrow();
    expect(connection.pragma("user_version", { simple: true })).toBe(MIGRATIONS.length);
    expect(
      connection.prepare("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").pluck().get(),
    ).toBe(0);
    connection.close();
  });
});

describe("the worker's questions", () => {
  /** How the database goes about a query. */
  const planOf = async (
    query: (db: ReturnType<typeof queries>) => { toSQL(): { sql: string; params: unknown[] } },
  ) => {
    const connection = connect({ file: await existingDatabase(), native });
    const { sql, params } = query(queries(connection)).toSQL();
    const explain = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`);
    const rows = explain.all(...params.map(() => 1)) as { detail: string }[];
    connection.close();
    return rows.map(({ detail }) => detail);
  };

  test("what may begin is read off an index: nothing is scanned and nothing sorted", async () => {
    expect(await planOf(claimableQuery)).toEqual(["SCAN tasks USING INDEX tasks_claimable"]);
  });

  test("what is stranded is looked for among what was begun alone", async () => {
    const [first, ...rest] = await planOf(strandedQuery);
    expect(first).toBe("SCAN tasks USING INDEX tasks_begun");
    expect(rest.filter((detail) => detail.startsWith("SCAN"))).toEqual([]);
  });
});

describe("a directory lock", () => {
  test("is held by one holder at a time and free after its release", () => {
    const file = join(temporaryFolder(), "server.lock");
    const first = acquireLock(file, native);
    expect(first).toBeDefined();
    expect(acquireLock(file, native)).toBeUndefined();
    first?.release();
    const second = acquireLock(file, native);
    expect(second).toBeDefined();
    second?.release();
    expect(existsSync(file)).toBe(true);
  });
});
