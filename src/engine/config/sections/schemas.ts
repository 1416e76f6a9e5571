import { z } from "zod";
import type { Context } from "../../context.ts";
import { eachInTurn } from "../../kernel/give-way.ts";
import { createRelation, deleteRelation, replaceRelation } from "../../relations/operations.ts";
import { closesCycle, RelationCreate, type RelationRecord } from "../../relations/relation.ts";
import {
  createSchema,
  deleteSchema,
  patchSchema,
  requireNoSessions,
} from "../../schemas/operations.ts";
import { requireSchema, SchemaCreate, type SchemaRecord } from "../../schemas/schema.ts";
import { perform } from "../perform.ts";
import { errorAt, missingAt, type Path, type Place, type Problem } from "../problem.ts";
import { type Entry, type Item, isSame, type Section, toEntry } from "../section.ts";
import { unknownName } from "../unknown-name.ts";

const { name, description, chat_enabled, entry_agent_id } = SchemaCreate.shape;
const { source, target, config } = RelationCreate.shape;

const RelationEntry = z.object({ from: source, to: target, config });
type RelationEntry = z.output<typeof RelationEntry>;

export const schemaSection: Section = {
  key: "schemas",
  noun: "schema",
  entry: z.object({
    name,
    description,
    chat_enabled,
    entry_agent: entry_agent_id,
    relations: z.array(RelationEntry).optional(),
  }),
  aliases: {},
  ignored: {},
  secret_fields: [],
  async list(read) {
    const names = new Map((await read.agents.list()).map(({ id, name }) => [id, name]));
    const schemas = await read.schemas.list();
    const stored = schemas.map(async (schema) => ({
      schema,
      relations: await read.relations.listBySchema(schema.id),
    }));
    return eachInTurn(await Promise.all(stored), (each) => toStored(each, names));
  },
  toItem: ({ name, fields }) => ({ name, entry: fromDeclared(fields), secrets: {} }),
  check(item, world, { placeOf, declared }) {
    const problems: Problem[] = [];
    const { entry_agent } = item.entry;
    if (entry_agent && !world.agents.has(String(entry_agent))) {
      const message = unknownName("entry_agent", "agent", entry_agent, world.agents.values());
      problems.push(missingAt(placeOf(["entry_agent"]), message));
    }
    const isKnown = (agent: string) => world.agents.has(agent);
    const unknown = (field: string, agent: string) =>
      unknownName(field, "agent", agent, world.agents.values());
    const relations = relationsOf(declared?.fields ?? item.entry);
    return [...problems, ...checkRelations(relations, { placeOf, isKnown, unknown })];
  },
  async create(ctx, { name, entry }) {
    const { description, chat_enabled } = entry as { description?: string; chat_enabled?: boolean };
    await perform(ctx, createSchema, { name, description, chat_enabled }, ["schemas", name]);
    for (const relation of relationsOf(entry)) await connect(ctx, name, relation);
    await setEntryAgent(ctx, name, entry);
  },
  async update(ctx, { name, entry }, before) {
    const { description = "", chat_enabled = false } = entry as Entry & { chat_enabled?: boolean };
    const said = { name, description: String(description), chat_enabled };
    await perform(ctx, patchSchema, said, ["schemas", name]);
    if (!isSame(relationsOf(entry), relationsOf(before.entry))) {
      await replaceRelations(ctx, name, relationsOf(entry));
    }
    await setEntryAgent(ctx, name, entry);
  },
  async verifyRemoval(read, name) {
    const schema = await read.schemas.getByName(name);
    if (schema) await requireNoSessions(read, schema);
  },
  async remove(ctx, name) {
    await perform(ctx, deleteSchema, { name }, ["schemas", name]);
  },
};

const relationsOf = (entry: Entry) => (entry.relations ?? []) as readonly RelationEntry[];

const pairOf = ({ from, to }: RelationEntry): string => `${from} ${to}`;

/** What a document says of the first relation's source, it need not say again (contract 4.6). */
function fromDeclared(fields: Entry): Entry {
  const relations = relationsOf(fields);
  const entry_agent = (fields.entry_agent as string | undefined) ?? relations[0]?.from;
  return canonical({ ...fields, entry_agent, relations });
}

function canonical({ relations, entry_agent, description, ...fields }: Entry): Entry {
  const sorted = (relations as RelationEntry[])
    .map(({ from, to, config }) => ({ from, to, ...(isEmpty(config) ? {} : { config }) }))
    .sort((one, other) => (pairOf(one) < pairOf(other) ? -1 : 1));
  // With relations, nobody must be said: otherwise it would be the first relation's source.
  const nobody = sorted.length > 0 ? "" : undefined;
  return toEntry(schemaSection, {
    ...fields,
    chat_enabled: fields.chat_enabled || undefined,
    description: description || undefined,
    entry_agent: entry_agent || nobody,
    relations: sorted.length > 0 ? sorted : undefined,
  });
}

const isEmpty = (config: object | undefined): boolean => Object.keys(config ?? {}).length === 0;

interface StoredSchema {
  readonly schema: SchemaRecord;
  readonly relations: readonly RelationRecord[];
}

function toStored({ schema, relations }: StoredSchema, names: ReadonlyMap<string, string>): Item {
  const nameOf = (id: string | undefined) => (id === undefined ? undefined : names.get(id));
  const entry = canonical({
    ...schema,
    entry_agent: nameOf(schema.entry_agent_id),
    relations: relations.map(({ source_id, target_id, config }) => ({
      from: nameOf(source_id),
      to: nameOf(target_id),
      config,
    })),
  });
  return { name: schema.name, entry, secrets: {}, is_system: schema.is_system };
}

interface RelationCheck {
  placeOf(path: Path): Place | undefined;
  isKnown(agent: string): boolean;
  unknown(field: string, agent: string): string;
}

function checkRelations(relations: readonly RelationEntry[], check: RelationCheck): Problem[] {
  const accepted: { source_id: string; target_id: string }[] = [];
  return relations.flatMap((relation, at) => {
    const place = check.placeOf(["relations", at]);
    const { from, to } = relation;
    const missing = [
      ...(check.isKnown(from) ? [] : [missingAt(place, check.unknown("relations.from", from))]),
      ...(check.isKnown(to) ? [] : [missingAt(place, check.unknown("relations.to", to))]),
    ];
    if (missing.length > 0) return missing;
    const edge = { source_id: from, target_id: to };
    const what = `relations: ${from} to ${to}`;
    if (from === to) return errorAt(place, `${what}: an agent cannot delegate to itself`);
    if (accepted.some(({ source_id, target_id }) => source_id === from && target_id === to))
      return errorAt(place, `${what} is there twice`);
    if (closesCycle(accepted, edge)) return errorAt(place, `${what} closes a cycle of delegation`);
    accepted.push(edge);
    return [];
  });
}

const connect = (ctx: Context, name: string, { from, to, config }: RelationEntry) =>
  perform(ctx, createRelation, { name, source: from, target: to, config }, ["schemas", name]);

/** Those that stay keep their ids. */
async function replaceRelations(
  ctx: Context,
  name: string,
  wanted: readonly RelationEntry[],
): Promise<void> {
  const { read } = ctx;
  const { id } = await requireSchema(read, name);
  const names = new Map((await read.agents.list()).map((agent) => [agent.id, agent.name]));
  const open = new Map(wanted.map((relation) => [pairOf(relation), relation]));
  for (const { id: relationId, source_id, target_id, config } of await read.relations.listBySchema(
    id,
  )) {
    const ends = { from: names.get(source_id) ?? "", to: names.get(target_id) ?? "" };
    const kept = open.get(pairOf(ends));
    open.delete(pairOf(ends));
    const key = { name, relationId };
    if (!kept) await perform(ctx, deleteRelation, key, ["schemas", name]);
    else if (!isSame(kept.config ?? {}, config ?? {})) {
      const input = { ...key, source: ends.from, target: ends.to, config: kept.config };
      await perform(ctx, replaceRelation, input, ["schemas", name]);
    }
  }
  for (const relation of open.values()) await connect(ctx, name, relation);
}

/** A document may name any agent: all of it counts at once, so there is no membership to ask for first. */
async function setEntryAgent(ctx: Context, name: string, entry: Entry): Promise<void> {
  await ctx.write(async (tx) => {
    const { id, entry_agent_id } = await requireSchema(tx, name);
    const named = entry.entry_agent
      ? await tx.agents.getByName(String(entry.entry_agent))
      : undefined;
    if (entry_agent_id !== named?.id) await tx.schemas.update(id, { entry_agent_id: named?.id });
  });
}
