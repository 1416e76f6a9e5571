import { and, asc, eq, or, sql } from "drizzle-orm";
import type { RelationWrites } from "#engine/relations/relation.ts";
import type { Db } from "./database.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert, rowUpdate } from "./statements.ts";
import { agentRelations } from "./tables.ts";

const oldestFirst = [asc(agentRelations.created_at), asc(sql`rowid`)];

export function relationRepository(db: Db): RelationWrites {
  const insert = rowInsert(db, agentRelations);
  const update = rowUpdate(db, agentRelations);
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
    listBySchema: async (schema_id) =>
      db
        .select()
        .from(agentRelations)
        .where(eq(agentRelations.schema_id, schema_id))
        .orderBy(...oldestFirst)
        .all()
        .map(present),
    listByAgent: async (agent_id) =>
      db
        .select()
        .from(agentRelations)
        .where(or(eq(agentRelations.source_id, agent_id), eq(agentRelations.target_id, agent_id)))
        .orderBy(...oldestFirst)
        .all()
        .map(present),
    listTargetIds: async (schema_id, source_id) =>
      targets.all({ schema_id, source_id }).map(({ id }) => id),
    get: async (id) =>
      maybe(db.select().from(agentRelations).where(eq(agentRelations.id, id)).get()),
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
