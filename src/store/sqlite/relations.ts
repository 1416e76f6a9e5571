import { and, asc, eq, or, sql } from "drizzle-orm";
import type { RelationWrites } from "#engine/relations/relation.ts";
import type { Db } from "./database.ts";
import { present } from "./rows.ts";
import { rowInsert, rowsBy, rowUpdate } from "./statements.ts";
import { agentRelations } from "./tables.ts";

const oldestFirst = [asc(agentRelations.created_at), asc(sql`rowid`)];

export function relationRepository(db: Db): RelationWrites {
  const insert = rowInsert(db, agentRelations);
  const update = rowUpdate(db, agentRelations);
  const byId = rowsBy(db, agentRelations, agentRelations.id);
  const bySchema = rowsBy(db, agentRelations, agentRelations.schema_id, ...oldestFirst);
  const agent_id = sql.placeholder("agent_id");
  const ofAgent = db
    .select()
    .from(agentRelations)
    .where(or(eq(agentRelations.source_id, agent_id), eq(agentRelations.target_id, agent_id)))
    .orderBy(...oldestFirst)
    .prepare();
  const targets = db
    .select({ id: agentRelations.target_id })
    .from(agentRelations)
    .where(
      and(
        eq(agentRelations.schema_id, sql.placeholder("schema_id")),
        eq(agentRelations.source_id, sql.placeholder("source_id")),
      ),
    )
    .orderBy(...oldestFirst)
    .prepare();
  return {
    listBySchema: async (schema_id) => bySchema.all(schema_id),
    listByAgent: async (agent_id) => ofAgent.all({ agent_id }).map(present),
    listTargetIds: async (schema_id, source_id) =>
      targets.all({ schema_id, source_id }).map(({ id }) => id),
    get: async (id) => byId.get(id),
    async insert(relation) {
      insert(relation);
    },
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      db.delete(agentRelations).where(eq(agentRelations.id, id)).run();
    },
  };
}
