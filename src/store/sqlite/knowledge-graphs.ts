import { and, asc, eq, sql } from "drizzle-orm";
import type { GraphBundleWrites } from "#engine/knowledge-graphs/bundles/bundle.ts";
import type { GraphSchemaWrites } from "#engine/knowledge-graphs/schemas/entity-schema.ts";
import type { Db } from "./database.ts";
import { graphBundles, graphSchemas } from "./knowledge-graph-tables.ts";
import { maybe, present } from "./rows.ts";
import { rowInsert, rowUpdate } from "./statements.ts";

export function graphBundleRepository(db: Db): GraphBundleWrites {
  const insert = rowInsert(db, graphBundles);
  const named = (name: string) => eq(graphBundles.bundle_name, name);
  return {
    list: async () => db.select().from(graphBundles).orderBy(asc(graphBundles.bundle_name)).all(),
    get: async (name) => db.select().from(graphBundles).where(named(name)).get(),
    async insert(bundle) {
      insert(bundle);
    },
    async update(name, fields) {
      db.update(graphBundles).set(fields).where(named(name)).run();
    },
    async delete(name) {
      db.delete(graphBundles).where(named(name)).run();
    },
  };
}

export function graphSchemaRepository(db: Db): GraphSchemaWrites {
  const update = rowUpdate(db, graphSchemas);
  const grow = db
    .update(graphSchemas)
    .set({ revision: sql`${graphSchemas.revision} + 1` })
    .where(eq(graphSchemas.id, sql.placeholder("id")))
    .prepare();
  const ofBundle = (name: string) => eq(graphSchemas.bundle_name, name);
  return {
    listByBundle: async (name) =>
      db
        .select()
        .from(graphSchemas)
        .where(ofBundle(name))
        .orderBy(asc(graphSchemas.entity_type))
        .all()
        .map(present),
    get: async (name, entity_type) =>
      maybe(
        db
          .select()
          .from(graphSchemas)
          .where(and(ofBundle(name), eq(graphSchemas.entity_type, entity_type)))
          .get(),
      ),
    listExposed: async () =>
      db
        .select({
          bundle_name: graphSchemas.bundle_name,
          entity_type: graphSchemas.entity_type,
          expose_tools: graphSchemas.expose_tools,
        })
        .from(graphSchemas)
        .all(),
    insert: async (schema) => Number(db.insert(graphSchemas).values(schema).run().lastInsertRowid),
    async update(id, fields) {
      update(id, fields);
      grow.run({ id });
    },
    async delete(id) {
      db.delete(graphSchemas).where(eq(graphSchemas.id, id)).run();
    },
  };
}
