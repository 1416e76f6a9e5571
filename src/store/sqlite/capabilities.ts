import { asc, eq, sql } from "drizzle-orm";
import type { CapabilityWrites } from "#engine/capabilities/capability.ts";
import type { Db } from "./database.ts";
import { present } from "./rows.ts";
import { rowInsert, rowsBy, rowUpdate } from "./statements.ts";
import { capabilities } from "./tables.ts";

export function capabilityRepository(db: Db): CapabilityWrites {
  const insert = rowInsert(db, capabilities);
  const update = rowUpdate(db, capabilities);
  const { created_at, agent_id } = capabilities;
  const byId = rowsBy(db, capabilities, capabilities.id);
  const byAgent = rowsBy(db, capabilities, agent_id, asc(created_at), asc(sql`rowid`));
  return {
    listByAgent: async (agent_id) => byAgent.all(agent_id),
    listByType: async (type) =>
      db.select().from(capabilities).where(eq(capabilities.type, type)).all().map(present),
    get: async (id) => byId.get(id),
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
