import type { Context } from "../context.ts";
import { conflict, EngineError } from "../kernel/error.ts";
import { type ConfigDocument, readDocument, type SourceFile } from "./document.ts";
import type { ReadOptions } from "./entries.ts";
import { type Change, compareStates, type Plan, planChanges } from "./plan.ts";
import { errorAt, type Problem, refuseErrors } from "./problem.ts";
import type { Applying, Item, State } from "./section.ts";
import { sectionOf } from "./sections.ts";
import { readState } from "./state.ts";

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

/** What an apply would do. Throws `bad_request` that tells what is wrong, line by line. */
export async function makePlan({ read, services }: Context, wanted: Wanted): Promise<Planned> {
  const document = readDocument(wanted.sources, wanted);
  refuseErrors(document.problems);
  const plan = planChanges(await readState(read, services.secrets), document, wanted);
  refuseErrors([...plan.problems, ...takenNames(document, services)]);
  return { document, plan };
}

/** Does what the plan says, all of it or nothing. Throws `conflict` when it is no longer the plan. */
export async function applyPlan(ctx: Context, wanted: Wanted): Promise<Planned> {
  // Reading somebody's text takes its time; nobody else's write has to wait for it.
  const document = readDocument(wanted.sources, wanted);
  refuseErrors(document.problems);
  return ctx.write(async (tx) => {
    const { secrets } = ctx.services;
    const state = await readState(tx, secrets);
    const plan = planChanges(state, document, wanted);
    refuseErrors([...plan.problems, ...takenNames(document, ctx.services)]);
    if (wanted.digest !== undefined && wanted.digest !== plan.digest) {
      throw conflict("this is no longer what was planned: look at a new plan, and apply that");
    }
    const applying: Applying = { ctx, tx };
    for (const change of inOrder(plan.changes)) {
      await perform(
        applying,
        change,
        plan.next[change.section].get(change.name),
        state[change.section],
      );
    }
    requireOutcome(await readState(tx, secrets), plan);
    return { document, plan };
  });
}

/** A tool of the product would hide one that a document declares. */
const takenNames = ({ declared }: ConfigDocument, { tools }: Context["services"]): Problem[] =>
  declared
    .filter(({ section, name }) => section === "tools" && tools.has(name))
    .map(({ name, placeOf }) =>
      errorAt(placeOf([]), `tools.${name}: this is what a tool of the product is called`),
    );

/** What is referred to comes first, and goes last. */
function inOrder(changes: readonly Change[]): Change[] {
  const made = changes.filter(({ action }) => action !== "delete");
  const removed = changes.filter(({ action }) => action === "delete");
  return [...made, ...removed.reverse()];
}

async function perform(
  applying: Applying,
  { action, section: key, name }: Change,
  item: Item | undefined,
  before: ReadonlyMap<string, Item>,
): Promise<void> {
  const section = sectionOf(key);
  const old = before.get(name);
  try {
    if (!item) await section.remove(applying, name);
    else if (action === "create" || !old) await section.create(applying, item);
    else await section.update(applying, item, old);
  } catch (error) {
    throw named(error, `${key}.${name}`);
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
function requireOutcome(state: State, { next }: Plan): void {
  const [missed] = compareStates(state, next);
  if (!missed) return;
  const { section, name, fields } = missed;
  const what = fields.map(({ field }) => field).join(", ");
  throw new Error(`an apply came to something that was not planned: ${section}.${name} ${what}`);
}
