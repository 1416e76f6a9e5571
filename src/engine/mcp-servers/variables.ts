import type { SecretBox } from "../kernel/secrets.ts";

/** How a value is shown that must not be: as the document of an export has it, too (contract 4.11). */
const maskOf = (name: string): string => `\${${name}}`;

export const maskedVariables = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, maskOf(name)]));

/**
 * Variables as they are stored, each value sealed on its own. A masked value stands for the one there is;
 * where there is none, it stands for nothing and is left out, as in an imported document.
 */
export function sealVariables(
  secrets: SecretBox,
  variables: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  const entries = Object.entries(variables).flatMap(([name, value]): [string, string][] => {
    if (value !== maskOf(name)) return [[name, secrets.seal(value)]];
    const known = Object.hasOwn(before, name) ? before[name] : undefined;
    return known === undefined ? [] : [[name, known]];
  });
  return Object.fromEntries(entries);
}

/** Throws `unavailable` when a value was sealed with another key. */
export const openVariables = (
  secrets: SecretBox,
  sealed: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(Object.entries(sealed).map(([name, value]) => [name, secrets.open(value)]));
