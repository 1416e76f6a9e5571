import type { z } from "zod";
import type { Context } from "../../context.ts";
import { EngineError } from "../../kernel/error.ts";
import type { Reads } from "../../store.ts";
import { defineTool, type Tool, type ToolResult } from "../../tools/tool.ts";
import type { EntityRecord } from "../entities/entity.ts";
import { findEntities } from "../entities/entity-page.ts";
import { requireType, type SchemaRecord, type ToolKind } from "../schemas/entity-schema.ts";
import type { CheckedSchema, EntitySchemas } from "../schemas/entity-schemas.ts";
import { describeType } from "./describe-type.ts";
import {
  askedFilters,
  decodeGet,
  decodeList,
  GetInput,
  type ListInput,
  listInput,
} from "./tool-input.ts";
import { toolName } from "./tool-names.ts";

type Place = Pick<Context, "services"> & { readonly read: Reads };

/** What a result may take of a model's context. */
const RESULT_CHARACTERS = 50_000;

const inputs = new WeakMap<CheckedSchema, z.ZodType<ListInput>>();

/** The tools of every type of these bundles (contract 4.8); a bundle that does not exist has none. */
export async function graphTools(
  { read, services }: Place,
  bundles: readonly string[],
): Promise<Tool[]> {
  const schemas = await services.entity_schemas();
  const types = await Promise.all(
    [...new Set(bundles)].map((name) => read.graph_schemas.listByBundle(name)),
  );
  return types.flatMap((own) => {
    const gettable = new Set(
      own.flatMap(({ entity_type, expose_tools }) =>
        expose_tools.includes("get") ? [entity_type] : [],
      ),
    );
    return own.flatMap((type) => {
      const description = describeType(type, schemas.of(type), gettable);
      return type.expose_tools.map((kind) => toTool(schemas, type, kind, description));
    });
  });
}

function toTool(
  schemas: EntitySchemas,
  type: SchemaRecord,
  kind: ToolKind,
  description: string,
): Tool {
  const common = {
    name: toolName(kind, type.entity_type),
    description: `${PURPOSES[kind]} ${description}`,
    security_zone: "safe",
    retry: "safe",
  } as const;
  if (kind === "get") {
    return defineTool({
      ...common,
      input: GetInput,
      decode: decodeGet,
      execute: ({ ids }, { read }) => answered(() => get(read, type, ids)),
    });
  }
  return defineTool({
    ...common,
    input: inputOf(schemas.of(type), type),
    decode: decodeList,
    execute: (input, { read }) =>
      answered(() => (kind === "list" ? list : listIds)(read, schemas, type, input)),
  });
}

const PURPOSES: Readonly<Record<ToolKind, string>> = {
  list: "List entities by filters, sorted, a page at a time, with the number of all that match.",
  get: "Read entities by their ids.",
  list_ids: "List the ids of entities by filters, sorted, with the number of all that match.",
};

function inputOf(checked: CheckedSchema, { schema_json }: SchemaRecord): z.ZodType<ListInput> {
  const input = inputs.get(checked) ?? listInput(checked, schema_json);
  inputs.set(checked, input);
  return input;
}

async function get(read: Reads, type: SchemaRecord, asked: readonly string[]): Promise<object> {
  const { id } = await requireType(read, type.bundle_name, type.entity_type);
  const ids = [...new Set(asked)];
  const entities = await read.graph_entities.listByIds(id, ids);
  const found = new Set(entities.map(({ entity_id }) => entity_id));
  const { items, left } = fitting(entities.map(told));
  return {
    entities: items,
    not_found: ids.filter((each) => !found.has(each)),
    ...(left > 0 ? { note: `${left} more were found, but do not fit; ask for fewer ids` } : {}),
  };
}

async function list(
  read: Reads,
  schemas: EntitySchemas,
  type: SchemaRecord,
  input: ListInput,
): Promise<object> {
  const { entities, total } = await find(read, schemas, type, input);
  const { limit, offset } = input;
  const { items, left } = fitting(entities.map(told));
  return { items, total, limit, offset, ...noteOf(left, offset + items.length) };
}

async function listIds(
  read: Reads,
  schemas: EntitySchemas,
  type: SchemaRecord,
  input: ListInput,
): Promise<object> {
  const { entities, total } = await find(read, schemas, type, input);
  const { summary_fields } = schemas.of(type).shape;
  if (summary_fields.length === 0) {
    return { ids: entities.map(({ entity_id }) => entity_id), total };
  }
  const summaries = entities.map((entity) => {
    const { id, data } = told(entity);
    const fields = summary_fields.filter((field) => Object.hasOwn(data, field));
    return { id, ...Object.fromEntries(fields.map((field) => [field, data[field]])) };
  });
  const { items, left } = fitting(summaries);
  return { items, total, ...noteOf(left, input.offset + items.length) };
}

async function find(
  read: Reads,
  schemas: EntitySchemas,
  { bundle_name, entity_type }: SchemaRecord,
  { filters = {}, sort = [], limit, offset }: ListInput,
) {
  // As it is now: the schema may have been replaced since the turn began.
  const type = await requireType(read, bundle_name, entity_type);
  return findEntities(read, schemas, type, { filters: askedFilters(filters), sort, limit, offset });
}

const told = ({ entity_id, data }: EntityRecord) => ({
  id: entity_id,
  data: JSON.parse(data) as Record<string, unknown>,
});

/** As many as a model can be given at once, but at least one. */
function fitting<Item>(all: readonly Item[]): { items: Item[]; left: number } {
  let characters = 0;
  const end = all.findIndex((item, index) => {
    characters += JSON.stringify(item).length;
    return index > 0 && characters > RESULT_CHARACTERS;
  });
  const items = end < 0 ? [...all] : all.slice(0, end);
  return { items, left: all.length - items.length };
}

const noteOf = (left: number, next: number) =>
  left > 0 ? { note: `${left} more of this page do not fit; go on with offset ${next}` } : {};

/** What a model asked wrongly it reads as such, and may mend. */
async function answered(work: () => Promise<object>): Promise<ToolResult> {
  try {
    return { content: JSON.stringify(await work()), is_untrusted: true };
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== "bad_request") throw error;
    return { content: `[INVALID_INPUT] ${error.message}`, is_error: true };
  }
}
