import { z } from "zod";
import type { Context } from "../context.ts";
import { badRequest, conflict, forbidden } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { mayUsePrivateAddresses, type Principal } from "../kernel/principal.ts";
import { grants } from "../kernel/scope.ts";
import { queueMissingVectors } from "../knowledge/vector-space.ts";
import { defineOperation } from "../operation.ts";
import { MODEL_TYPE_NAMES, requirementsOf, resolveModelType } from "../providers/model-types.ts";
import { isPublicUrl } from "../providers/public-address.ts";
import type { Reads, Writes } from "../store.ts";
import {
  Model,
  ModelCreate,
  ModelKey,
  ModelKind,
  ModelPatch,
  type ModelRecord,
  ModelReplace,
  requireModel,
  toModel,
} from "./model.ts";

export const listModels = defineOperation({
  name: "models.list",
  summary: "List configured models",
  scope: "models:read",
  effect: "read",
  input: z.object({ kind: ModelKind.optional() }),
  output: z.array(Model),
  run: async ({ read }, { kind }) => (await read.models.list(kind)).map(toModel),
});

export const createModel = defineOperation({
  name: "models.create",
  summary: "Create a model; the first chat model becomes the default",
  scope: "models:write",
  effect: "write",
  input: ModelCreate,
  output: Model,
  run: (ctx, { name, ...input }) => {
    const fields = toFields(ctx, input);
    requireConnection(input.type, { ...fields, has_key: fields.sealed_api_key !== undefined });
    return ctx.write(async (tx) => {
      await requireFreeName(tx, name);
      const kind = fields.kind ?? "chat";
      const first = kind === "chat" && (await tx.models.getDefault()) === undefined;
      const is_default = kind === "chat" && (first || input.is_default === true);
      if (is_default) await tx.models.clearDefault();
      const created_at = ctx.now().toISOString();
      const model = await tx.models.insert({ ...fields, name, kind, is_default, created_at });
      if (is_default) await tx.agents.bindModel(model.id);
      return toModel(model);
    });
  },
});

export const replaceModel = defineOperation({
  name: "models.replace",
  summary: "Replace a model; its key changes only when a new one is sent",
  scope: "models:write",
  effect: "write",
  input: ModelReplace,
  output: Model,
  run: (ctx, input) => {
    const cleared = { extra_body: undefined, cache_control: undefined, embedding_dim: undefined };
    return update(ctx, input, { ...cleared, base_url: undefined, api_version: undefined });
  },
});

export const patchModel = defineOperation({
  name: "models.patch",
  summary: "Change the supplied fields of a model",
  scope: "models:write",
  effect: "write",
  input: ModelPatch,
  output: Model,
  run: (ctx, input) => {
    if (input.is_default === false) {
      throw badRequest("is_default: cannot be taken away; make another model the default instead");
    }
    return update(ctx, input, {});
  },
});

export const deleteModel = defineOperation({
  name: "models.delete",
  summary: "Delete a model that no agent uses",
  scope: "models:write",
  effect: "destroy",
  input: ModelKey,
  output: Nothing,
  run: (ctx, { name }) =>
    ctx.write(async (tx) => {
      const model = await requireModel(tx.models, name);
      await requireUnused(tx, model);
      await tx.models.delete(model.id);
      return undefined;
    }),
});

async function update(
  ctx: Context,
  { name, rename, ...input }: z.output<typeof ModelPatch>,
  cleared: Partial<ModelRecord>,
): Promise<z.input<typeof Model>> {
  const changed = await ctx.write(async (tx) => {
    const model = await requireModel(tx.models, name);
    const type = input.type ?? model.type;
    const base_url = input.base_url ?? addressKept(model, input.type, cleared);
    const fields = { ...cleared, ...toFields(ctx, { ...input, type, base_url }) };
    const next = { ...model, ...fields, name: rename ?? model.name };
    requireKeyStays(ctx.principal, model, next, input.api_key);
    requireConnection(type, { ...next, has_key: next.sealed_api_key !== undefined });
    if (next.name !== model.name) await requireFreeName(tx, next.name);
    if (next.kind !== model.kind) await requireUnused(tx, model);
    // Only a chat model can be the default.
    const is_default = next.kind === "chat" && model.is_default;
    await tx.models.update(model.id, { ...fields, is_default, name: next.name });
    if (await becomesDefault(tx, model, next, input.is_default)) await makeDefault(tx, model.id);
    return toModel((await tx.models.get(model.id)) ?? next);
  });
  if (changed.kind === "embedding") {
    await queueMissingVectors(ctx, await ctx.read.knowledge_bases.listByModel(changed.id));
    ctx.onCommit((after) => after.services.indexing.wake(after));
  }
  return changed;
}

/** An address of one's own stays, unless everything is replaced or the model moves to another type. */
function addressKept(
  model: ModelRecord,
  type: string | undefined,
  cleared: Partial<ModelRecord>,
): string | undefined {
  if ("base_url" in cleared) return undefined;
  return type === undefined || type === model.type ? model.base_url : undefined;
}

/** Who may not read a key must not have it sent to an address of their own. Throws `forbidden`. */
function requireKeyStays(
  { scopes_mask }: Principal,
  before: ModelRecord,
  after: Pick<ModelRecord, "base_url">,
  api_key = "",
): void {
  if (api_key !== "" || before.sealed_api_key === undefined || before.base_url === after.base_url)
    return;
  if (grants(scopes_mask, "admin")) return;
  throw forbidden(
    "base_url: send the key anew: api_key as it is stored would go to another address",
  );
}

/** As asked for, or because it turned into the first chat model. */
async function becomesDefault(
  { models }: Pick<Reads, "models">,
  before: ModelRecord,
  { kind }: ModelRecord,
  is_asked = false,
): Promise<boolean> {
  if (kind !== "chat") return false;
  return is_asked || (before.kind !== "chat" && (await models.getDefault()) === undefined);
}

async function makeDefault(tx: Writes, id: number): Promise<void> {
  await tx.models.clearDefault();
  await tx.models.update(id, { is_default: true });
  await tx.agents.bindModel(id);
}

async function requireUnused(tx: Reads, model: ModelRecord): Promise<void> {
  refuseUsed(model, await tx.agents.listNamesByModel(model.id));
  await requireNoBase(tx, model);
}

/** Throws `conflict` naming the knowledge bases whose embedding model it is. */
export async function requireNoBase(
  { knowledge_bases }: Pick<Reads, "knowledge_bases">,
  model: ModelRecord,
): Promise<void> {
  const bases = await knowledge_bases.listByModel(model.id);
  refuseUsed(
    model,
    bases.map(({ name }) => name),
  );
}

function refuseUsed(model: ModelRecord, users: readonly string[]): void {
  if (users.length > 0) throw conflict(`model "${model.name}" is used by: ${users.join(", ")}`);
}

async function requireFreeName({ models }: Pick<Reads, "models">, name: string): Promise<void> {
  if (await models.getByName(name)) throw conflict(`model "${name}" already exists`);
}

type Input = Omit<z.output<typeof ModelCreate>, "name">;

/** The stored form of the supplied fields: alias resolved, key sealed, empty texts absent. */
function toFields(
  ctx: Context,
  { api_key, is_default, ...input }: Partial<Input> & { type: string },
) {
  const resolved = resolveModelType(input.type);
  if (!resolved) {
    throw badRequest(`type: "${input.type}" is none of ${MODEL_TYPE_NAMES.join(", ")}`);
  }
  requireReachable(ctx.principal, input.base_url);
  const base_url = input.base_url || resolved.base_url;
  return {
    ...(input as Omit<Input, "api_key" | "is_default">),
    type: resolved.type,
    ...(base_url === undefined ? {} : { base_url: base_url.replace(/\/+$/, "") }),
    ...(input.embedding_dim === 0 ? { embedding_dim: undefined } : {}),
    ...(api_key ? { sealed_api_key: ctx.services.secrets.seal(api_key) } : {}),
    ...(isEmpty(input.extra_body) ? { extra_body: undefined } : {}),
  };
}

/** Throws `forbidden` for a private address of somebody who may not name one (decision 30). */
function requireReachable(principal: Principal, base_url = ""): void {
  if (base_url === "" || mayUsePrivateAddresses(principal) || isPublicUrl(base_url)) return;
  throw forbidden(
    "base_url: a token with the scope provision may use public addresses only; an administrator may use others",
  );
}

const isEmpty = (record: object | undefined) =>
  record !== undefined && Object.keys(record).length === 0;

/** What a model of this type cannot do without. */
function requireConnection(
  type: string,
  model: { base_url?: string | undefined; has_key: boolean },
) {
  const { needs_base_url, needs_api_key } = requirementsOf(type);
  if (needs_base_url && !model.base_url) throw badRequest(`base_url: is required for type ${type}`);
  if (needs_api_key && !model.has_key) throw badRequest(`api_key: is required for type ${type}`);
}
