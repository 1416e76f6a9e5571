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

/** Variables in every text; one that is not set is empty, with a warning (contract 4.11). */
export function expand(
  value: unknown,
  variables: Variables,
  placeOf: (path: Path) => Place,
): { readonly value: unknown; readonly problems: Problem[] } {
  const problems: Problem[] = [];
  const expanded = mapTexts(value, (text, path) =>
    expandText(text, (name) => {
      const known = Object.hasOwn(variables, name) ? variables[name] : undefined;
      if (known === undefined) problems.push(warningAt(placeOf(path), notSet(name)));
      return known ?? "";
    }),
  );
  return { value: expanded, problems };
}

export const notSet = (name: string): string =>
  `\${${name}} is not set here and counts as empty; $\${${name}} would be the text itself`;
