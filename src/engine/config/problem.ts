import { badRequest, type EngineError } from "../kernel/error.ts";

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
  /** About something that is applied by itself, after the rest. */
  readonly is_separate?: true;
}

/** A person reads the first of them and mends; a flood helps nobody. */
const SHOWN = 100;

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
  if (!place) return message;
  const { file, line, column } = place;
  const where = file === undefined ? `line ${line}, column ${column}` : `${file}:${line}:${column}`;
  return `${where}: ${message}`;
}

export const isError = ({ level }: Problem): boolean => level === "error";

/** Throws `bad_request` that tells every error with its place; warnings are no reason to refuse. */
export function refuseErrors(problems: readonly Problem[]): void {
  const details = problems.filter(isError).map(describeProblem);
  if (details.length > 0) throw refusal(details);
}

function refusal(details: readonly string[]): EngineError {
  const shown = details.slice(0, SHOWN);
  const more = details.length - shown.length;
  const rest = more > 0 ? [`and ${more} more`] : [];
  return badRequest([...shown, ...rest].join("\n"), { details: shown });
}

export const warningsOf = (problems: readonly Problem[]): string[] =>
  problems.filter((problem) => !isError(problem)).map(describeProblem);
