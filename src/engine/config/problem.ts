import { badRequest } from "../kernel/error.ts";

/** The way to a value, from the document's root or an entry's. */
export type Path = readonly (string | number)[];

/** Where something stands; lines and columns count from 1. */
export interface Place {
  /** Absent for a document that came without a name, as over HTTP. */
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
}

/** Something that is wrong with a document, or looks as if it were. */
export interface Problem {
  readonly level: "error" | "warning";
  /** Absent when it is about what the document does not say. */
  readonly place: Place | undefined;
  readonly message: string;
  /** About what must be there, and may be where the document is applied. */
  readonly is_reference?: true;
  /** About a variable that is not set: what is missing elsewhere may come of it. */
  readonly is_unset?: true;
  /** About something that is applied by itself, after the rest. */
  readonly is_separate?: true;
}

/** A person reads the first of them and mends; a flood helps nobody. */
const SHOWN = 100;

/** What is wrong may be a name, and that may be any text. */
const MESSAGE_CHARACTERS_MAX = 1_000;

export const errorAt = (place: Place | undefined, message: string): Problem => ({
  level: "error",
  place,
  message,
});

export const missingAt = (place: Place | undefined, message: string): Problem => ({
  ...errorAt(place, message),
  is_reference: true,
});

export const warningAt = (place: Place | undefined, message: string): Problem => ({
  level: "warning",
  place,
  message,
});

/** `support.yaml:12:5: …`, as compilers and editors have it. */
export function describeProblem({ place, message }: Problem): string {
  const text =
    message.length > MESSAGE_CHARACTERS_MAX
      ? `${message.slice(0, MESSAGE_CHARACTERS_MAX)}…`
      : message;
  if (!place) return text;
  const { file, line, column } = place;
  const where = file === undefined ? `line ${line}, column ${column}` : `${file}:${line}:${column}`;
  return `${where}: ${text}`;
}

/** The first of them, each described, and how many more there are. */
export function describeFirst(problems: readonly Problem[]): string[] {
  const shown = problems.slice(0, SHOWN).map(describeProblem);
  const more = problems.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

export const isError = ({ level }: Problem): boolean => level === "error";

/**
 * Throws `bad_request` that tells the errors with their places; warnings are no reason to refuse, but variables that
 * are not set may be what an error comes of, and are told before it.
 */
export function refuseErrors(problems: readonly Problem[]): void {
  if (!problems.some(isError)) return;
  const details = describeFirst([
    ...problems.filter(({ is_unset }) => is_unset),
    ...problems.filter(isError),
  ]);
  throw badRequest(details.join("\n"), { details });
}

export const warningsOf = (problems: readonly Problem[]): string[] =>
  describeFirst(problems.filter((problem) => !isError(problem)));
