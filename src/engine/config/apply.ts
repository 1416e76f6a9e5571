import { type Context, together } from "../context.ts";
import { conflict, EngineError } from "../kernel/error.ts";
import { giveWay } from "../kernel/give-way.ts";
import type { Reads } from "../store.ts";
import { type ConfigDocument, readDocument, type SourceFile } from "./document.ts";
import type { ReadOptions } from "./entries.ts";
import { type Change, compareStates, keyOf, type Plan, planChanges } from "./plan.ts";
import { describeFirst, errorAt, isError, type Problem, refuseErrors } from "./problem.ts";
import type { Item, State } from "./section.ts";
import { sectionOf } from "./sections.ts";
import { readState } from "./state.ts";
import { compareToolNames } from "./tool-names.ts";
import { warnOfUnknownTools } from "./unknown-tools.ts";

export interface Wanted extends ReadOptions {
  readonly sources: readonly SourceFile[];
  readonly prune: boolean;
  /** Of the plan that was looked at: when it would be another one by now, nothing is done. */
  readonly digest?: string | undefined;
}

export interface Planned {
  readonly document: ConfigDocument;
  readonly plan: Plan;
}

export interface Applied extends Planned {
  /** What failed by itself, after the rest was done. */
  readonly errors: readonly string[];
  readonly done: readonly Change[];
}

/** What an apply would do. Throws `bad_request` that tells what is wrong, line by line. */
export async function makePlan(ctx: Context, wanted: Wanted): Promise<Planned> {
  const { read, services } = ctx;
  const document = await readDocument(wanted.sources, wanted, ctx.services.runInThread);
  refuseErrors(document.problems);
  const state = await readState(read, services.secrets, { about: document });
  const plan = await planChanges(state, document, wanted);
  const { of_tools, of_graphs } = await compareToolNames(document, plan, services.tools, read);
  const verified = await verify(ctx, document, plan);
  refuseErrors([...document.problems, ...plan.problems, ...of_tools, ...of_graphs, ...verified]);
  return { document, plan: await withWarnings(plan, document, services, read) };
}

/**
 * Does what the plan says: all of it or nothing, but for knowledge graphs, each of which is applied by
 * itself afterwards. Throws `conflict` when it is no longer the plan.
 */
export async function applyPlan(ctx: Context, wanted: Wanted): Promise<Applied> {
  // Reading somebody's text takes its time; nobody else's write has to wait for it.
  const document = await readDocument(wanted.sources, wanted, ctx.services.runInThread);
  const [separate, common] = parted(document.problems, ({ is_separate }) => is_separate === true);
  refuseErrors(common);
  const { plan, before, graphs } = await together(ctx, async (inside, tx) => {
    const { secrets } = ctx.services;
    const before = await readState(tx, secrets, { about: document });
    const planned = await planChanges(before, document, wanted);
    const plan = await withWarnings(planned, document, ctx.services, tx);
    const names = await compareToolNames(document, plan, ctx.services.tools, tx);
    refuseErrors([...common, ...plan.problems, ...names.of_tools]);
    if (wanted.digest !== undefined && wanted.digest !== plan.digest) {
      throw conflict("this is no longer what was planned: look at a new plan, and apply that");
    }
    const [, together] = parted(inOrder(plan.changes), isSeparate);
    for (const change of together) await perform(inside, change, plan, before);
    await requireOutcome(await readState(tx, secrets, { about: WITHOUT_SEPARATE }), plan);
    return { plan, before, graphs: names.graphs };
  });
  const errors = describeFirst(separate.filter(isError));
  const done = inOrder(plan.changes).filter((change) => !isSeparate(change));
  for (const change of graphs) {
    const error = await performAlone(ctx, change, plan, before);
    if (error === undefined) done.push(change);
    else errors.push(error);
  }
  return { document, plan, errors, done };
}

async function withWarnings(
  plan: Plan,
  document: ConfigDocument,
  services: Context["services"],
  read: Reads,
): Promise<Plan> {
  const warnings = await warnOfUnknownTools(document, plan.next, services, read);
  return { ...plan, problems: [...plan.problems, ...warnings] };
}

/** What is applied by itself is not there yet when the rest is looked at again. */
const WITHOUT_SEPARATE = { sections: new Set<never>(), named: new Set<never>() };

const isSeparate = ({ section }: Pick<Change, "section">): boolean =>
  sectionOf(section).is_separate === true;

function parted<Each>(list: readonly Each[], isFirst: (each: Each) => boolean): [Each[], Each[]] {
  return [list.filter(isFirst), list.filter((each) => !isFirst(each))];
}

/** What a section finds wrong only with the help of a service or of the store. */
async function verify(
  ctx: Context,
  { declared }: ConfigDocument,
  { changes, next }: Plan,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const places = new Map(declared.map((each) => [keyOf(each), each]));
  for (const { section, name } of changes) {
    await giveWay();
    const item = next[section].get(name);
    const place = places.get(keyOf({ section, name }));
    try {
      if (item) await sectionOf(section).verify?.(ctx, item);
      else await sectionOf(section).verifyRemoval?.(ctx.read, name);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      problems.push(errorAt(place?.placeOf([]), `${section}.${name}: ${error.message}`));
    }
  }
  return problems;
}

/** What is referred to comes first, and goes last. */
function inOrder(changes: readonly Change[]): Change[] {
  const [removed, made] = parted(changes, ({ action }) => action === "delete");
  return [...made, ...removed.reverse()];
}

async function perform(
  ctx: Context,
  { action, section: key, name }: Change,
  { next }: Plan,
  before: State,
): Promise<void> {
  const section = sectionOf(key);
  const item: Item | undefined = next[key].get(name);
  const old = before[key].get(name);
  try {
    if (!item) await section.remove(ctx, name);
    else if (action === "create" || !old) await section.create(ctx, item);
    else await section.update(ctx, item, old);
  } catch (error) {
    throw named(error, `${key}.${name}`);
  }
}

/** Returns what went wrong, if something did: what was done before stays. */
async function performAlone(
  ctx: Context,
  change: Change,
  plan: Plan,
  before: State,
): Promise<string | undefined> {
  try {
    await perform(ctx, change, plan, before);
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error.message;
    ctx.services.log.error({ err: error }, "a part of the configuration could not be applied");
    return `${change.section}.${change.name}: an internal error occurred`;
  }
}

/** A refusal tells which of a thousand entries it is about. */
function named(error: unknown, entry: string): unknown {
  if (!(error instanceof EngineError)) return error;
  const { code, message, details } = error;
  return new EngineError(code, `${entry}: ${message}`, {
    cause: error,
    ...(details && { details }),
  });
}

/** A plan is a promise: when what came of it is anything else, nothing of it stays. */
async function requireOutcome(state: State, { next }: Plan): Promise<void> {
  const missed = (await compareStates(state, next)).find((change) => !isSeparate(change));
  if (!missed) return;
  const { section, name, fields } = missed;
  const what = fields.map(({ field }) => field).join(", ");
  throw new Error(`an apply came to something that was not planned: ${section}.${name} ${what}`);
}
