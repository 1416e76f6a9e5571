import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { MemoryOwner, MemoryWrites } from "#engine/memory/memory.ts";
import { type Db, fold } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { deleteInSteps, rowInsert } from "./statements.ts";
import { memoryEntries } from "./tables.ts";

const newestFirst = [desc(memoryEntries.created_at), desc(sql`rowid`)];

const ownedBy = ({ schema_id, user_sub }: MemoryOwner) =>
  and(eq(memoryEntries.schema_id, schema_id), eq(memoryEntries.user_sub, user_sub));

/** `instr` knows no wildcards, so that a query can't hold any. */
const holds = (word: string) => sql`instr(fold(${memoryEntries.content}), ${fold(word)}) > 0`;

export function memoryRepository(db: Db): MemoryWrites {
  const insert = rowInsert(db, memoryEntries);
  return {
    listBySchema: async (schema_id) =>
      db
        .select()
        .from(memoryEntries)
        .where(eq(memoryEntries.schema_id, schema_id))
        .orderBy(...newestFirst)
        .all()
        .map(present),
    search: async (owner, words, limit) =>
      db
        .select()
        .from(memoryEntries)
        .where(and(ownedBy(owner), ...words.map(holds)))
        .orderBy(...newestFirst)
        .limit(limit)
        .all()
        .map(present),
    get: async (id) => maybe(db.select().from(memoryEntries).where(eq(memoryEntries.id, id)).get()),
    async insert(entry) {
      insert(entry);
    },
    async delete(id) {
      db.delete(memoryEntries).where(eq(memoryEntries.id, id)).run();
    },
    async deleteBySchema(schema_id) {
      db.delete(memoryEntries).where(eq(memoryEntries.schema_id, schema_id)).run();
    },
    async keepNewest(owner, count) {
      const superfluous = db
        .select({ id: memoryEntries.id })
        .from(memoryEntries)
        .where(ownedBy(owner))
        .orderBy(...newestFirst)
        // SQLite knows no offset without a limit.
        .limit(Number.MAX_SAFE_INTEGER)
        .offset(count);
      db.delete(memoryEntries).where(inArray(memoryEntries.id, superfluous)).run();
    },
    async deleteBefore(agent_id, before) {
      const { agent_id: owner, created_at } = memoryEntries;
      await deleteInSteps(db, memoryEntries, and(eq(owner, agent_id), lt(created_at, before)));
    },
  };
}
