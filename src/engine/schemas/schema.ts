import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { Description, Name, Timestamp, Uuid } from "../kernel/fields.ts";

/** Writable fields. `entry_agent_id` takes an agent's id or name; an empty text clears it. */
const SchemaFields = z.object({
  description: Description,
  entry_agent_id: z.string(),
  chat_enabled: z.boolean(),
});

/** `{name}` in a path: a malformed one is a bad request, not an unknown schema (contract 0.4). */
export const SchemaKey = z.object({ name: Name });
export const SchemaCreate = SchemaFields.partial().extend({ name: Name });
export const SchemaReplace = SchemaFields.partial().extend({
  ...SchemaKey.shape,
  rename: z.string(),
});
export const SchemaPatch = SchemaFields.partial().extend({
  ...SchemaKey.shape,
  rename: z.string().optional(),
});

/** A group of agents that a client chats with. */
export const Schema = z.object({
  id: Uuid,
  name: z.string(),
  description: z.string().optional(),
  agents: z.array(z.string()),
  is_system: z.boolean().optional(),
  entry_agent_name: z.string().optional(),
  agents_count: z.int(),
  chat_enabled: z.boolean(),
  chat_last_fired_at: Timestamp.optional(),
  created_at: Timestamp,
});

export interface SchemaRecord {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly entry_agent_id?: string | undefined;
  readonly chat_enabled: boolean;
  readonly is_system: boolean;
  readonly chat_last_fired_at?: string | undefined;
  readonly created_at: string;
}

export interface SchemaReads {
  /** Oldest first. */
  list(): Promise<SchemaRecord[]>;
  /** Those it is the entry agent or an end of a relation of, oldest first. */
  listNamesByAgent(agent_id: string): Promise<string[]>;
  get(id: string): Promise<SchemaRecord | undefined>;
  getByName(name: string): Promise<SchemaRecord | undefined>;
}

export interface SchemaWrites extends SchemaReads {
  insert(schema: SchemaRecord): Promise<void>;
  update(id: string, fields: Partial<SchemaRecord>): Promise<void>;
  delete(id: string): Promise<void>;
  /** Leaves the schemas of a deleted agent without an entry agent. */
  clearEntryAgent(agent_id: string): Promise<void>;
}

/** Takes either face of the store, so it serves inside and outside a transaction. */
export async function requireSchema(
  { schemas }: { readonly schemas: SchemaReads },
  name: string,
): Promise<SchemaRecord> {
  const schema = await schemas.getByName(name);
  if (!schema) throw notFound("schema", name);
  return schema;
}
