import { badRequest } from "../kernel/error.ts";

/** What the model gave, by parameter. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What a template is filled with. */
export interface Filling {
  readonly variables: Readonly<Record<string, string>>;
  readonly args: Arguments;
}

/** Both kinds at once: what one holds is never read as the other, so no argument can ask for a secret. */
const SLOT = /(\$+)\{(\w+)\}|\{\{\s*([\w-]+)\s*\}\}/g;
const WHOLE = /^\{\{\s*([\w-]+)\s*\}\}$/;

export const parametersIn = (text: string): string[] =>
  [...text.matchAll(SLOT)].flatMap(([, , , parameter]) => parameter ?? []);

/** Throws `bad_request` for a variable that has no value. `write` puts an argument into its place. */
export const fillText = (
  text: string,
  { variables, args }: Filling,
  write: (value: string, parameter: string) => string = (value) => value,
): string =>
  text.replace(SLOT, (whole, dollars?: string, variable?: string, parameter?: string) => {
    if (parameter !== undefined) return write(asText(args[parameter]), parameter);
    if (dollars !== "$") return whole.slice(1);
    const value = Object.hasOwn(variables, variable ?? "") ? variables[variable ?? ""] : undefined;
    if (value === undefined) throw badRequest(`the variable ${variable} has no value here`);
    return value;
  });

/** A text that is one parameter becomes its value, of whatever type; without one, it is left out. */
export function fillValue(value: unknown, filling: Filling): unknown {
  if (typeof value === "string") {
    const parameter = WHOLE.exec(value)?.[1];
    return parameter === undefined ? fillText(value, filling) : filling.args[parameter];
  }
  if (Array.isArray(value)) {
    return value.map((item) => fillValue(item, filling)).filter((item) => item !== undefined);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillValue(item, filling)]),
  );
}

const asText = (value: unknown): string => {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};
