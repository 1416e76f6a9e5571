import Database from "better-sqlite3";
import type { NativeFiles } from "./native.ts";

/** Uses the parts of SQLite that the product stands on, in memory. Throws when one does not work. */
export function checkStore(native: NativeFiles): { database: string; vectors: string } {
  const connection = new Database(":memory:", { nativeBinding: native.addon });
  try {
    connection.loadExtension(native.vector);
    connection.exec(
      "CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('a troupe plays')",
    );
    const found = connection
      .prepare("SELECT count(*) FROM words WHERE words MATCH 'troupe'")
      .pluck()
      .get();
    connection.exec("CREATE VIRTUAL TABLE places USING vec0(embedding float[2])");
    connection.exec("INSERT INTO places(rowid, embedding) VALUES (1, '[0, 1]'), (2, '[1, 0]')");
    const nearest = connection
      .prepare("SELECT rowid FROM places WHERE embedding MATCH '[0.9, 0.1]' AND k = 1")
      .pluck()
      .get();
    if (found !== 1 || nearest !== 2) throw new Error("a search gave a wrong answer");
    const version = (name: string) => String(connection.prepare(`SELECT ${name}()`).pluck().get());
    return {
      database: `SQLite ${version("sqlite_version")} with full-text search`,
      vectors: `sqlite-vec ${version("vec_version")}`,
    };
  } finally {
    connection.close();
  }
}
