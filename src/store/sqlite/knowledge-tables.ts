import { sql } from "drizzle-orm";
import {
  blob,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { agents, models } from "./tables.ts";

export const knowledgeBases = sqliteTable(
  "knowledge_bases",
  {
    id: text().primaryKey(),
    name: text().notNull().unique(),
    description: text(),
    embedding_model_id: integer().references(() => models.id),
    vector_space: text(),
    created_at: text().notNull(),
    updated_at: text().notNull(),
  },
  (table) => [index("knowledge_bases_model").on(table.embedding_model_id)],
);

export const knowledgeLinks = sqliteTable(
  "knowledge_links",
  {
    knowledge_base_id: text()
      .notNull()
      .references(() => knowledgeBases.id, { onDelete: "cascade" }),
    agent_id: text()
      .notNull()
      .references(() => agents.id, { onDelete: "cascade" }),
  },
  (table) => [
    primaryKey({ columns: [table.knowledge_base_id, table.agent_id] }),
    index("knowledge_links_agent").on(table.agent_id),
  ],
);

export const knowledgeFiles = sqliteTable(
  "knowledge_files",
  {
    id: text().primaryKey(),
    knowledge_base_id: text()
      .notNull()
      .references(() => knowledgeBases.id, { onDelete: "cascade" }),
    file_name: text().notNull(),
    file_type: text().notNull(),
    file_size: integer().notNull(),
    hash: text(),
    status: text({ enum: ["uploading", "indexing", "ready", "error"] }).notNull(),
    status_message: text(),
    chunk_count: integer().notNull(),
    chunks_done: integer().notNull(),
    created_at: text().notNull(),
    indexed_at: text(),
    vector_space: text(),
  },
  (table) => [index("knowledge_files_base").on(table.knowledge_base_id, table.created_at)],
);

/** What is uploaded, in parts, until its text is taken out. */
export const knowledgeUploads = sqliteTable(
  "knowledge_uploads",
  {
    id: integer().primaryKey(),
    file_id: text()
      .notNull()
      .references(() => knowledgeFiles.id, { onDelete: "cascade" }),
    bytes: blob({ mode: "buffer" }).notNull(),
  },
  (table) => [index("knowledge_uploads_file").on(table.file_id)],
);

/**
 * `file_id` refers to no row: a large file's chunks are swept up in small steps after the file is gone,
 * so that its deletion holds nobody up. Triggers take a chunk out of the indexes.
 */
export const knowledgeChunks = sqliteTable(
  "knowledge_chunks",
  {
    id: integer().primaryKey(),
    file_id: text().notNull(),
    seq: integer().notNull(),
    start: integer().notNull(),
    end: integer().notNull(),
    page: integer(),
    headings: text({ mode: "json" }).$type<string[]>().notNull(),
    index: text({ enum: ["words", "trigrams", "pairs"] }).notNull(),
    text: text().notNull(),
  },
  (table) => [uniqueIndex("knowledge_chunks_place").on(table.file_id, table.seq)],
);

/** Deleted files whose chunks are still to be swept up; a trigger puts them here. */
export const knowledgeRubbish = sqliteTable("knowledge_rubbish", { file_id: text().primaryKey() });

/** A vector counts only in its own space; a chunk may have some in several, while one replaces the other. */
export const knowledgeVectors = sqliteTable(
  "knowledge_vectors",
  {
    id: integer().primaryKey(),
    chunk_id: integer().notNull(),
    space: text().notNull(),
    vector: blob({ mode: "buffer" }).notNull(),
  },
  (table) => [uniqueIndex("knowledge_vectors_chunk").on(table.chunk_id, table.space)],
);

/**
 * The signs of many vectors of a file together, so that a search reads little and few rows. An empty space
 * marks what is of no more use and is swept up.
 */
export const knowledgeSketches = sqliteTable(
  "knowledge_sketches",
  {
    id: integer().primaryKey(),
    file_id: text()
      .notNull()
      .references(() => knowledgeFiles.id, { onDelete: "cascade" }),
    space: text().notNull(),
    vector_ids: blob({ mode: "buffer" }).notNull(),
    signs: blob({ mode: "buffer" }).notNull(),
  },
  (table) => [
    index("knowledge_sketches_file").on(table.file_id, table.space),
    index("knowledge_sketches_stale").on(table.space).where(sql`${table.space} = ''`),
  ],
);
