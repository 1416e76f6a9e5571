import { and, asc, eq, sql } from "drizzle-orm";
import type { KnowledgeBaseWrites } from "#engine/knowledge/base.ts";
import type { Db } from "./database.ts";
import { knowledgeBases, knowledgeLinks } from "./knowledge-tables.ts";
import { present } from "./rows.ts";
import { rowInsert, rowsBy, rowUpdate } from "./statements.ts";
import { agents } from "./tables.ts";

export function knowledgeBaseRepository(db: Db): KnowledgeBaseWrites {
  const insert = rowInsert(db, knowledgeBases);
  const update = rowUpdate(db, knowledgeBases);
  const byId = rowsBy(db, knowledgeBases, knowledgeBases.id);
  const byName = rowsBy(db, knowledgeBases, knowledgeBases.name);
  const linkOf = (knowledge_base_id: string, agent_id: string) =>
    and(
      eq(knowledgeLinks.knowledge_base_id, knowledge_base_id),
      eq(knowledgeLinks.agent_id, agent_id),
    );
  const ofAgent = db
    .select({ base: knowledgeBases })
    .from(knowledgeLinks)
    .innerJoin(knowledgeBases, eq(knowledgeBases.id, knowledgeLinks.knowledge_base_id))
    .where(eq(knowledgeLinks.agent_id, sql.placeholder("agent_id")))
    .orderBy(sql`${knowledgeLinks}.rowid`)
    .prepare();
  return {
    list: async () =>
      db
        .select()
        .from(knowledgeBases)
        .orderBy(asc(knowledgeBases.created_at), asc(sql`rowid`))
        .all()
        .map(present),
    get: async (id) => byId.get(id),
    getByName: async (name) => byName.get(name),
    listByAgent: async (agent_id) => ofAgent.all({ agent_id }).map(({ base }) => present(base)),
    listByModel: async (model_id) =>
      db
        .select()
        .from(knowledgeBases)
        .where(eq(knowledgeBases.embedding_model_id, model_id))
        .orderBy(asc(knowledgeBases.name))
        .all()
        .map(present),
    listAgentNames: async (knowledge_base_id) =>
      db
        .select({ name: agents.name })
        .from(knowledgeLinks)
        .innerJoin(agents, eq(agents.id, knowledgeLinks.agent_id))
        .where(eq(knowledgeLinks.knowledge_base_id, knowledge_base_id))
        .orderBy(asc(agents.name))
        .all()
        .map(({ name }) => name),
    async insert(base) {
      insert(base);
    },
    async update(id, fields) {
      update(id, fields);
    },
    async delete(id) {
      db.delete(knowledgeBases).where(eq(knowledgeBases.id, id)).run();
    },
    async link(knowledge_base_id, agent_id) {
      db.insert(knowledgeLinks).values({ knowledge_base_id, agent_id }).onConflictDoNothing().run();
    },
    async unlink(knowledge_base_id, agent_id) {
      db.delete(knowledgeLinks).where(linkOf(knowledge_base_id, agent_id)).run();
    },
    async unlinkAgent(agent_id) {
      db.delete(knowledgeLinks).where(eq(knowledgeLinks.agent_id, agent_id)).run();
    },
  };
}
