import { asc, eq, sql } from "drizzle-orm";
import type { CapabilityWrites } from "#engine/capabilities/capability.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert, rowUpdate } from "./statements.ts";
import { capabilities } from "./tables.ts";

export function capabilityRepository(db: Db): CapabilityWrites {
  const insert = rowInsert(db, capabilities);
  const update = rowUpdate(db, capabilities);
  const listByAgent = db
    .select()
    .from(capabilities)
    .where(eq(capabilities.agent_id, sql.placeholder("agent_id")))
    .orderBy(asc(capabilities.created_at), asc(sql`rowid`))
    .prepare();
  return {
    listByAgent: async (agent_id) => listByAgent.all({ agent_id }).map(present),
    listByType: async (type) =>
      db.select().from(capabilities).where(eq(capabilities.type, type)).all().map(present),
    get: async (id) => maybe(db.select().from(capabilities).where(eq(capabilities.id, id)).get()),
    async insert(capability) {
      insert(capability);
    },
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      db.delete(capabilities).where(eq(capabilities.id, id)).run();
    },
  };
}
