import { readDocument, type SourceFile } from "./document.ts";
import type { ReadOptions } from "./entries.ts";
import { planChanges } from "./plan.ts";
import { describeFirst, isError, warningAt } from "./problem.ts";
import type { State } from "./section.ts";
import { SECTIONS } from "./sections.ts";
import { variablesIn } from "./variables.ts";

export interface Validity {
  readonly errors: readonly string[];
  /** Also what the document refers to and does not hold: it may be where it is applied. */
  readonly warnings: readonly string[];
}

/** What a variable may well hold that is only set where the document is applied: most are addresses or texts. */
const STAND_IN = "https://variable.example";

const notLookedAt = (name: string): string =>
  `\${${name}} is not set here; what it holds is not looked at`;

/** What can be said of a document without knowing where it is applied. */
export async function validateDocument(
  sources: readonly SourceFile[],
  options: ReadOptions,
): Promise<Validity> {
  const names = new Set(sources.flatMap(({ text }) => variablesIn(text)));
  const unset = [...names].filter((name) => !Object.hasOwn(options.variables, name));
  const standIns = Object.fromEntries(unset.map((name) => [name, STAND_IN]));
  const variables = { ...options.variables, ...standIns };
  const document = await readDocument(sources, { ...options, variables });
  const nothing = Object.fromEntries(
    SECTIONS.map(({ key }) => [key, new Map()]),
  ) as unknown as State;
  const { problems } = await planChanges(nothing, document, { prune: false });
  const found = [...document.problems, ...problems];
  const isFatal = (problem: (typeof found)[number]) => isError(problem) && !problem.is_reference;
  return {
    errors: describeFirst(found.filter(isFatal)),
    warnings: describeFirst([
      ...unset.map((name) => warningAt(undefined, notLookedAt(name))),
      ...found.filter((problem) => !isFatal(problem)),
    ]),
  };
}
