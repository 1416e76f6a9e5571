import { badRequest } from "../kernel/error.ts";
import { decoded, mapSecretQuery } from "../kernel/secret-query.ts";

type Texts = Readonly<Record<string, string>>;

const REFERENCE = /\$\{(\w+)\}/g;

/** The variables of `env_vars` that an address names as `${NAME}`. */
export const variablesInUrl = (url: string): string[] =>
  [...url.matchAll(REFERENCE)].map(([, name = ""]) => name);

/** Parameters may be called anything; the names of variables are not so long. */
const PARAMETER_CHARACTERS = 100;

/**
 * An address whose query names variables where it held secrets, and what they held: an address is shown to
 * all who may read servers, variables are not (decision 0054).
 */
export function withoutSecrets(given: string): { readonly url: string; readonly secrets: Texts } {
  const secrets: Record<string, string> = {};
  const url = mapSecretQuery(given, (value, parameter) => {
    if (value === "" || variablesInUrl(value).length > 0) return value;
    const wanted = `URL_${parameter.slice(0, PARAMETER_CHARACTERS).toUpperCase().replace(/\W/g, "_")}`;
    let name = wanted;
    for (let number = 2; Object.hasOwn(secrets, name); number += 1) name = `${wanted}_${number}`;
    secrets[name] = value;
    return `\${${name}}`;
  });
  return { url, secrets };
}

/** Where a secret is left empty, as a variable that is not set leaves it, the one there is stays. */
export function keepSecrets(given: string, before: string): string {
  const known = new Map<string, string>();
  mapSecretQuery(before, (value, parameter) => {
    known.set(parameter, value);
    return value;
  });
  return mapSecretQuery(given, (value, parameter) => value || (known.get(parameter) ?? ""));
}

/** Throws `bad_request` for a variable that has no value. */
export const filledUrl = (url: string, variables: Texts): string =>
  url.replace(REFERENCE, (_whole, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (value === undefined) throw badRequest(`url: there is no ${name} in the server's env_vars`);
    return value;
  });

/** How what stands in an address's query may be told: as it was given, as it is sent, and as it is meant. */
export const spellingsOf = (value: string): string[] => [
  value,
  new URL(`https://host.example/?${value}`).search.slice(1),
  decoded(value),
];
