import { readDocument, type SourceFile } from "./document.ts";
import type { ReadOptions } from "./entries.ts";
import { planChanges } from "./plan.ts";
import { describeProblem, isError } from "./problem.ts";
import type { State } from "./section.ts";
import { SECTIONS } from "./sections.ts";

export interface Validity {
  readonly errors: readonly string[];
  /** Also what the document refers to and does not hold: it may be where it is applied. */
  readonly warnings: readonly string[];
}

/** What can be said of a document without knowing where it is applied. */
export function validateDocument(sources: readonly SourceFile[], options: ReadOptions): Validity {
  const document = readDocument(sources, options);
  const nothing = Object.fromEntries(
    SECTIONS.map(({ key }) => [key, new Map()]),
  ) as unknown as State;
  const { problems } = planChanges(nothing, document, { prune: false });
  const found = [...document.problems, ...problems];
  const isFatal = (problem: (typeof found)[number]) => isError(problem) && !problem.is_reference;
  return {
    errors: found.filter(isFatal).map(describeProblem),
    warnings: found.filter((problem) => !isFatal(problem)).map(describeProblem),
  };
}
