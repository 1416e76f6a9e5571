import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

export const graphBundles = sqliteTable("graph_bundles", {
  bundle_name: text().primaryKey(),
  version: text().notNull(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
});

/** `entity_count` and `data_bytes` are kept with each change, so that nobody has to count. */
export const graphSchemas = sqliteTable(
  "graph_schemas",
  {
    id: integer().primaryKey(),
    bundle_name: text()
      .notNull()
      .references(() => graphBundles.bundle_name, { onDelete: "cascade" }),
    entity_type: text().notNull(),
    schema_json: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
    schema_hash: text().notNull(),
    id_field: text().notNull(),
    expose_tools: text({ mode: "json" }).$type<("list" | "get" | "list_ids")[]>().notNull(),
    tool_description: text(),
    entity_count: integer().notNull(),
    data_bytes: integer().notNull(),
    revision: integer().notNull().default(0),
  },
  (table) => [uniqueIndex("graph_schemas_type").on(table.bundle_name, table.entity_type)],
);

/** `data` is the entity as JSON text, as its author wrote it. */
export const graphEntities = sqliteTable(
  "graph_entities",
  {
    id: integer().primaryKey(),
    type_id: integer()
      .notNull()
      .references(() => graphSchemas.id, { onDelete: "cascade" }),
    entity_id: text().notNull(),
    data: text().notNull(),
    schema_hash: text().notNull(),
    created_at: text().notNull(),
    updated_at: text().notNull(),
  },
  (table) => [uniqueIndex("graph_entities_id").on(table.type_id, table.entity_id)],
);

/**
 * What entities are filtered and sorted by: one row for each indexed property, `field` being its place
 * among them. A column without affinity keeps numbers and texts apart; an empty blob, which sorts behind
 * both, stands for a value that is missing. Without a rowid (as in the migration), the key is the table.
 */
export const graphValues = sqliteTable(
  "graph_values",
  {
    type_id: integer().notNull(),
    field: integer().notNull(),
    entity_id: text().notNull(),
    value: blob().$type<string | number | Uint8Array>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.type_id, table.field, table.entity_id] }),
    index("graph_values_order").on(table.type_id, table.field, table.value, table.entity_id),
  ],
);
