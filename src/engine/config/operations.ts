import { z } from "zod";
import type { Context } from "../context.ts";
import { badRequest } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import { adminSession } from "../kernel/principal.ts";
import { defineOperation } from "../operation.ts";
import { type Applied, applyPlan, makePlan, type Planned, type Wanted } from "./apply.ts";
import { documentSchema } from "./document-schema.ts";
import { warningsOf } from "./problem.ts";
import type { SectionKey } from "./section.ts";
import { readState } from "./state.ts";
import { toDocument } from "./to-document.ts";
import { renderInThread } from "./yaml-thread.ts";

export const exportConfig = defineOperation({
  name: "config.export",
  summary: "Export the configuration as YAML, without secrets",
  scope: "config",
  effect: "read",
  input: z.object({}),
  output: z.string(),
  run: async ({ read, services: { secrets, runInThread } }) =>
    renderInThread(runInThread, await toDocument(await readState(read, secrets))),
});

const ConfigSource = z.object({
  file: z.string().max(1024).optional(),
  text: z.string(),
  /** What it names as files, by the path it names them by. */
  files: z.record(z.string(), z.string()).optional(),
});

export const configSchema = defineOperation({
  name: "config.schema",
  summary: "Describe the configuration document as JSON Schema, for editors",
  scope: "public",
  effect: "read",
  input: z.object({}),
  output: z.record(z.string(), z.unknown()),
  run: async () => documentSchema(),
});

/** A document from one file or several, and what its `${NAME}`s stand for. */
const ConfigSources = z.object({
  documents: z.array(ConfigSource).min(1).max(LIMITS.config_files),
  /** The service never fills in its own environment for a caller. */
  variables: z.record(z.string(), z.string()).optional(),
  /** Also remove what the document's sections do not name. */
  prune: z.boolean().optional(),
  /** Refuse fields that nobody knows, instead of reading over them with a warning. */
  strict: z.boolean().optional(),
});

const FieldChange = z.object({
  field: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  is_secret: z.literal(true).optional(),
});

const Change = z.object({
  action: z.enum(["create", "update", "delete"]),
  section: z.string(),
  name: z.string(),
  fields: z.array(FieldChange),
});

export const ConfigPlan = z.object({
  digest: z.string(),
  changes: z.array(Change),
  unchanged: z.int(),
  warnings: z.array(z.string()),
});

export const planConfig = defineOperation({
  name: "config.plan",
  summary: "Tell what applying a document would change, field by field",
  scope: "config",
  effect: "read",
  input: ConfigSources,
  output: ConfigPlan,
  run: async (ctx, input) => toPlan(await makePlan(ctx, toWanted(input))),
});

/** What became of a document; both editions' fields (contract 4.10). */
export const ConfigResult = z.object({
  status: z.string(),
  imported: z.literal(true),
  agents_count: z.int(),
  agents_imported: z.int(),
  models_imported: z.int(),
  tools_imported: z.int(),
  mcp_servers_imported: z.int(),
  schemas_imported: z.int(),
  knowledge_graphs_imported: z.int(),
  created: z.int(),
  updated: z.int(),
  deleted: z.int(),
  unchanged: z.int(),
  warnings: z.array(z.string()),
  /** Of knowledge graphs, which are applied one by one: the rest is done all the same. */
  errors: z.array(z.string()),
});

export const applyConfig = defineOperation({
  name: "config.apply",
  summary: "Apply a document, or exactly the plan with a digest, in one transaction",
  scope: "config",
  effect: "write",
  input: ConfigSources.extend({ digest: z.string().optional() }),
  output: ConfigResult,
  run: async (ctx, { digest, ...input }) =>
    toResult(await applyPlan(ctx, { ...toWanted(input), digest })),
});

export const importConfig = defineOperation({
  name: "config.import",
  summary: "Merge a YAML document into the configuration",
  scope: "config",
  effect: "write",
  input: z.object({ text: z.string() }),
  output: ConfigResult,
  run: async (ctx, { text }) => {
    if (text.trim() === "") throw badRequest("the body is empty: send a document");
    return toResult(await applyPlan(ctx, toWanted({ documents: [{ text }] })));
  },
});

export const reloadConfig = defineOperation({
  name: "config.reload",
  summary: "Apply the document that the server was started with, as it says now",
  scope: "config",
  effect: "write",
  input: z.object({}),
  output: z.object({
    status: z.string(),
    reloaded: z.literal(true),
    agents_loaded: z.int(),
    models_loaded: z.int(),
    agents_count: z.int(),
    applied: ConfigResult.optional(),
  }),
  async run(ctx) {
    const applied = await applyServed(ctx);
    const [agents_loaded, models_loaded] = await ctx.write(async (tx) => [
      await tx.agents.count(),
      (await tx.models.list()).length,
    ]);
    await ctx.services.mcp_servers.restart();
    const loaded = { agents_loaded, models_loaded, agents_count: agents_loaded };
    return { status: applied?.status ?? "ok", reloaded: true as const, ...loaded, applied };
  },
});

/** The file is the administrator's, whoever asks for it to be read again. */
async function applyServed(ctx: Context): Promise<z.input<typeof ConfigResult> | undefined> {
  const { readDocument } = ctx.services;
  if (!readDocument) return undefined;
  const { documents, variables } = await readDocument();
  const wanted = { sources: documents, variables, prune: false, is_strict: true };
  return toResult(await applyPlan({ ...ctx, principal: adminSession("config") }, wanted));
}

type Sources = z.output<typeof ConfigSources>;

const toWanted = ({
  documents,
  variables = {},
  prune = false,
  strict = false,
}: Sources): Wanted => ({
  sources: documents,
  variables,
  prune,
  is_strict: strict,
});

const toPlan = ({ document, plan }: Planned): z.input<typeof ConfigPlan> => ({
  digest: plan.digest,
  changes: plan.changes.map((change) => ({ ...change, fields: [...change.fields] })),
  unchanged: plan.unchanged,
  warnings: warningsOf([...document.problems, ...plan.problems]),
});

function toResult(applied: Applied): z.input<typeof ConfigResult> {
  const { document, plan, errors, done } = applied;
  const { unchanged, warnings } = toPlan(applied);
  const named = (key: SectionKey) =>
    document.declared.filter(({ section }) => section === key).length;
  const count = (action: string) => done.filter((change) => change.action === action).length;
  return {
    status: errors.length === 0 ? "ok" : "partial",
    imported: true,
    agents_count: plan.next.agents.size,
    agents_imported: named("agents"),
    models_imported: named("models"),
    tools_imported: named("tools"),
    mcp_servers_imported: named("mcp_servers"),
    schemas_imported: named("schemas"),
    knowledge_graphs_imported: named("knowledge_graphs"),
    created: count("create"),
    updated: count("update"),
    deleted: count("delete"),
    unchanged,
    warnings,
    errors: [...errors],
  };
}
