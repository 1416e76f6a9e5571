import { z } from "zod";
import type { Context } from "../../context.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { checkImport, GraphImport } from "../../knowledge-graphs/bundles/import.ts";
import { deleteGraph } from "../../knowledge-graphs/bundles/operations.ts";
import { importGraph } from "../../knowledge-graphs/bundles/transfer-operations.ts";
import type { ExposedType, ToolKind } from "../../knowledge-graphs/schemas/entity-schema.ts";
import { parseInput } from "../../operation.ts";
import type { Reads } from "../../store.ts";
import { perform } from "../perform.ts";
import { type Entry, type Item, type Section, toEntry } from "../section.ts";

const { bundle, version, schemas, entities } = GraphImport.shape;

type Input = z.input<typeof GraphImport>;
type Checked = z.output<typeof GraphImport>;
type Schema = Checked["schemas"][number];
type Records = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const FIRST_VERSION = "1.0.0";

/** Each is its own transaction, after all the rest (specification 4 Configuration). */
export const knowledgeGraphSection: Section = {
  key: "knowledge_graphs",
  noun: "knowledge graph",
  name_field: "bundle_name",
  is_separate: true,
  entry: z.object({ bundle_name: bundle, version, schemas, entities }),
  aliases: {},
  ignored: {},
  secret_fields: [],
  async list(read, _secrets, { isNamed }) {
    const bundles = await read.graph_bundles.list();
    return Promise.all(
      bundles.map(async ({ bundle_name, version }) => {
        const about = { name: bundle_name, secrets: {} };
        if (isNamed?.(bundle_name) === false) return { ...about, entry: { version } };
        const graph = await readGraph(read, bundle_name, isNamed !== undefined);
        return { ...about, entry: canonical({ version, ...graph }) };
      }),
    );
  },
  toItem({ name, fields }) {
    const { version, schemas, entities = [] } = fields as Omit<Input, "bundle"> & Entry;
    return { name, entry: canonical({ version, schemas, entities }), secrets: {} };
  },
  toFields: ({ version, schemas, entities }) => ({
    version,
    schemas: Object.entries(schemas as Records).map(([entity_type, schema]) => ({
      entity_type,
      ...schema,
    })),
    entities: Object.entries((entities ?? {}) as Records).map(([entity_type, items]) => ({
      entity_type,
      items: Object.values(items),
    })),
  }),
  check: () => [],
  async verify({ services }, item) {
    const given = parseInput(GraphImport, toInput(item)) as Checked;
    await checkImport(await services.entity_schemas(), given);
  },
  create: save,
  update: save,
  async remove(ctx, name) {
    await perform(ctx, deleteGraph, { bundle: name }, ["knowledge_graphs", name]);
  },
};

async function save(ctx: Context, item: Item): Promise<void> {
  await perform(ctx, importGraph, toInput(item), ["knowledge_graphs", item.name]);
}

function toInput({ name, entry }: Item): Input {
  const fields = knowledgeGraphSection.toFields?.(entry);
  return { version: FIRST_VERSION, ...fields, bundle: name } as unknown as Input;
}

interface Graph {
  readonly version?: string | undefined;
  readonly schemas: readonly Schema[];
  readonly entities: readonly {
    readonly entity_type: string;
    readonly items: readonly unknown[];
  }[];
}

/** By type and by id, so that a change is one of an entity and not of a list of all. */
function canonical({ version = FIRST_VERSION, schemas, entities }: Graph): Entry {
  const ids = new Map(
    schemas.map(({ entity_type, schema }) => [entity_type, schema["x-id-field"]]),
  );
  const filled = entities.filter(({ items }) => items.length > 0);
  const said = {
    version,
    schemas: sorted(schemas.map(({ entity_type, ...rest }) => [entity_type, toSchema(rest)])),
    entities: sorted(
      filled.map(({ entity_type, items }) => [
        entity_type,
        sorted(items.map((item) => [idOf(item, ids.get(entity_type)), item])),
      ]),
    ),
  };
  return toEntry(knowledgeGraphSection, said, { entities: {} });
}

const sorted = (pairs: readonly (readonly [string, unknown])[]): Record<string, unknown> =>
  Object.fromEntries([...pairs].sort(([one], [other]) => (one < other ? -1 : 1)));

const idOf = (item: unknown, field: unknown): string =>
  String((item as Entry | null)?.[String(field)] ?? "");

const EXPOSED = ["list", "get"];

/** What the tools of a graph are made of, where its whole entry was read. */
export const exposedTypes = ({ name, entry }: Item): ExposedType[] =>
  Object.entries((entry.schemas ?? {}) as Readonly<Record<string, Schema>>).map(
    ([entity_type, { schema, expose_tools }]) => ({
      bundle_name: name,
      entity_type,
      expose_tools: expose_tools ?? ((schema["x-tool-expose"] ?? EXPOSED) as ToolKind[]),
    }),
  );

/** Without what the schema's own annotations say anyway. */
function toSchema({ schema, expose_tools, tool_description }: Omit<Schema, "entity_type">): Entry {
  const exposed = (schema["x-tool-expose"] ?? EXPOSED) as unknown[];
  const tools = expose_tools ?? exposed;
  const told = tool_description || undefined;
  const is_told = told === undefined || told === schema["x-tool-description"];
  const is_exposed = JSON.stringify(tools) === JSON.stringify(exposed);
  return {
    schema,
    ...(is_exposed ? {} : { expose_tools: tools }),
    ...(is_told ? {} : { tool_description: told }),
  };
}

/** An export holds at most so many entities of a type (specification 8); a plan looks at all. */
async function readGraph(
  { graph_schemas, graph_entities }: Pick<Reads, "graph_schemas" | "graph_entities">,
  bundle: string,
  is_whole: boolean,
): Promise<Pick<Graph, "schemas" | "entities">> {
  const types = await graph_schemas.listByBundle(bundle);
  const limit = is_whole ? Number.MAX_SAFE_INTEGER : LIMITS.graph_export_entities;
  const entities = await Promise.all(
    types.map(async ({ id, entity_type }) => {
      const found = await graph_entities.listAfter(id, "", limit);
      return { entity_type, items: found.map(({ data }) => JSON.parse(data) as unknown) };
    }),
  );
  return {
    entities,
    schemas: types.map(({ entity_type, schema_json, expose_tools, tool_description }) => ({
      entity_type,
      schema: schema_json,
      expose_tools,
      ...(tool_description === undefined ? {} : { tool_description }),
    })),
  };
}
