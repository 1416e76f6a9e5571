import { z } from "zod";
import type { SecretBox } from "../../kernel/secrets.ts";
import { ModelCreate, type ModelRecord } from "../../models/model.ts";
import { createModel, deleteModel, replaceModel, requireNoBase } from "../../models/operations.ts";
import {
  MODEL_TYPE_NAMES,
  presetAddress,
  requirementsOf,
  resolveModelType,
} from "../../providers/model-types.ts";
import { perform } from "../perform.ts";
import { errorAt, missingAt, type Problem, warningAt } from "../problem.ts";
import {
  type Declared,
  type Entry,
  type Item,
  type Items,
  openSecret,
  type Section,
  toEntry,
} from "../section.ts";
import { isVariable } from "../variables.ts";

const { name, type, kind, model_name, base_url, api_key, ...rest } = ModelCreate.shape;

type Input = z.input<typeof ModelCreate>;

export const modelSection: Section = {
  key: "models",
  noun: "model",
  entry: z.object({
    name,
    type: type.pipe(z.enum(MODEL_TYPE_NAMES)),
    kind,
    base_url,
    model_name,
    api_key,
    ...rest,
  }),
  aliases: { provider: "type", model: "model_name" },
  ignored: {},
  secret_fields: [["api_key"]],
  list: async ({ models }, secrets) =>
    (await models.list()).map((model) => toStored(model, secrets)),
  toItem: ({ name, fields }) => ({
    name,
    entry: canonical(fields),
    secrets: secretsOf(fields),
  }),
  settle: settleDefault,
  check(item, _world, { placeOf, before }) {
    const type = String(item.entry.type);
    const { needs_base_url, needs_api_key } = requirementsOf(type);
    const problems: Problem[] = [];
    if (needs_base_url && !item.entry.base_url) {
      problems.push(errorAt(placeOf(["base_url"]), `base_url: is required for type ${type}`));
    }
    if (needs_api_key && !item.secrets.api_key && before?.secrets.api_key === undefined) {
      problems.push(
        missingAt(placeOf(["api_key"]), `api_key: is required for type ${type}, as in \${MY_KEY}`),
      );
    }
    return problems;
  },
  async create(ctx, item) {
    await perform(ctx, createModel, toInput(item), ["models", item.name]);
  },
  async update(ctx, item) {
    const input = { kind: "chat" as const, ...toInput(item) };
    await perform(ctx, replaceModel, input, ["models", item.name]);
  },
  async verifyRemoval(read, name) {
    const model = await read.models.getByName(name);
    if (model) await requireNoBase(read, model);
  },
  async remove(ctx, name) {
    await perform(ctx, deleteModel, { name }, ["models", name]);
  },
};

const secretsOf = ({ api_key }: Entry): Item["secrets"] =>
  typeof api_key === "string" && api_key !== "" && !isVariable(api_key) ? { api_key } : {};

const toInput = ({ name, entry, secrets }: Item): Input =>
  ({ ...entry, ...secrets, name }) as unknown as Input;

/** As the store keeps it: the alias resolved, and nothing that the type says anyway. */
function canonical(fields: Entry): Entry {
  const resolved = resolveModelType(String(fields.type));
  const type = resolved?.type ?? fields.type;
  const address = String(fields.base_url || resolved?.base_url || "").replace(/\/+$/, "");
  const { api_key, embedding_dim, extra_body, is_default, ...others } = fields;
  const said = {
    ...others,
    type,
    base_url: address || undefined,
    embedding_dim: embedding_dim || undefined,
    extra_body: Object.keys(extra_body ?? {}).length > 0 ? extra_body : undefined,
    is_default: is_default || undefined,
  };
  return toEntry(modelSection, said, { kind: "chat", base_url: presetAddress(String(type)) });
}

const toStored = (model: ModelRecord, secrets: SecretBox): Item => ({
  name: model.name,
  entry: canonical({ ...model }),
  seal: model.sealed_api_key,
  secrets:
    model.sealed_api_key === undefined
      ? {}
      : { api_key: openSecret(secrets, model.sealed_api_key) },
});

/** One chat model is the default: the one that says so, else the one that is, else the first new one. */
function settleDefault(
  items: Map<string, Item>,
  declared: readonly Declared[],
  before: Items,
): Problem[] {
  const isChat = (item: Item | undefined) => item !== undefined && item.entry.kind === undefined;
  const asked = declared.filter(({ fields }) => fields.is_default === true);
  const current = [...before.values()].find(({ entry }) => entry.is_default)?.name;
  const first = declared.find(({ name }) => isChat(items.get(name)) && !isChat(before.get(name)));
  const kept = current !== undefined && isChat(items.get(current) ?? before.get(current));
  const chosen = asked[0]?.name ?? (kept ? current : first?.name);
  for (const [name, item] of items) {
    const { is_default, ...entry } = item.entry;
    const said = { ...entry, ...(name === chosen ? { is_default: true } : {}) };
    items.set(name, { ...item, entry: toEntry(modelSection, said) });
  }
  return declared.flatMap(({ name, fields, placeOf }) => {
    const place = placeOf(["is_default"]);
    if (fields.is_default === true && !isChat(items.get(name)))
      return errorAt(place, `models.${name}: is_default: only a chat model can be the default`);
    if (fields.is_default === true && name !== chosen)
      return errorAt(place, `models.${name}: is_default: "${chosen}" is the default already`);
    if (fields.is_default === false && name === chosen)
      return warningAt(
        place,
        `models.${name}: is_default: stays true until another model is the default`,
      );
    return [];
  });
}
