import { type Path, type Place, type Problem, warningAt } from "./problem.ts";

/** What `${NAME}` stands for; only the process that reads a document knows an environment. */
export type Variables = Readonly<Record<string, string>>;

/** `${NAME}` is a variable; with one more dollar, `$${NAME}` is the text `${NAME}`. */
const REFERENCE = /(\$+)\{(\w+)\}/g;

export const hasVariable = (text: string): boolean => variablesIn(text).length > 0;

export const variablesIn = (text: string): string[] =>
  [...text.matchAll(REFERENCE)].flatMap(([, dollars, name]) =>
    dollars === "$" && name !== undefined ? [name] : [],
  );

/** Whether a text is one variable and nothing else. */
export const isVariable = (text: string): boolean => /^\$\{\w+\}$/.test(text);

/** Every variable is replaced once: what one holds is not read again. */
export const expandText = (text: string, textOf: (name: string) => string): string =>
  text.replace(REFERENCE, (whole, dollars: string, name: string) =>
    dollars === "$" ? textOf(name) : whole.slice(1),
  );

/** The text that `expandText` turns back into this one. */
export const escapeText = (text: string): string => text.replace(REFERENCE, "$$$&");

/** Every text within a value, changed; keys stay. */
export function mapTexts(
  value: unknown,
  change: (text: string, path: Path) => string,
  path: Path = [],
): unknown {
  if (typeof value === "string") return change(value, path);
  if (Array.isArray(value)) return value.map((item, at) => mapTexts(item, change, [...path, at]));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, [...path, key])]),
  );
}

interface Expanding {
  readonly variables: Variables;
  placeOf(path: Path): Place;
  /** A secret that is one variable stays that where the variable is not set: it is not given. */
  isSecret(path: Path): boolean;
}

/** Variables in every text; one that is not set is empty, with a warning (contract 4.11). */
export function expand(
  value: unknown,
  { variables, placeOf, isSecret }: Expanding,
): { readonly value: unknown; readonly problems: Problem[] } {
  const problems: Problem[] = [];
  const unset = (name: string, text: string, path: Path): string => {
    const is_kept = isVariable(text) && isSecret(path);
    const problem = warningAt(placeOf(path), is_kept ? keptAs(name) : notSet(name));
    problems.push(is_kept ? problem : { ...problem, is_unset: true });
    return is_kept ? text : "";
  };
  const known = new Map(Object.entries(variables));
  const expanded = mapTexts(value, (text, path) =>
    expandText(text, (name) => known.get(name) ?? unset(name, text, path)),
  );
  return { value: expanded, problems };
}

const keptAs = (name: string): string =>
  `\${${name}} is not set here: the secret stays as it is, if there is one`;

const notSet = (name: string): string =>
  `\${${name}} is not set here and counts as empty; $\${${name}} would be the text itself`;
