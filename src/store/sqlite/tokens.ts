import { asc, eq, sql } from "drizzle-orm";
import type { TokenWrites } from "#engine/auth/token.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert } from "./statements.ts";
import { tokens } from "./tables.ts";

export function tokenRepository(db: Db): TokenWrites {
  const insert = rowInsert(db, tokens);
  const getByHash = db
    .select()
    .from(tokens)
    .where(eq(tokens.hash, sql.placeholder("hash")))
    .prepare();
  return {
    list: async () =>
      db.select().from(tokens).orderBy(asc(tokens.created_at), asc(sql`rowid`)).all().map(present),
    get: async (id) => maybe(db.select().from(tokens).where(eq(tokens.id, id)).get()),
    getByName: async (name) => maybe(db.select().from(tokens).where(eq(tokens.name, name)).get()),
    getByHash: async (hash) => maybe(getByHash.get({ hash })),
    async insert(token) {
      insert(token);
    },
    async delete(id) {
      db.delete(tokens).where(eq(tokens.id, id)).run();
    },
    async touch(id, last_used_at) {
      db.update(tokens).set({ last_used_at }).where(eq(tokens.id, id)).run();
    },
  };
}
