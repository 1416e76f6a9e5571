import type { SecretBox } from "../kernel/secrets.ts";
import type { HttpToolRecord } from "./http-tool.ts";
import { fillText } from "./template.ts";

export type Declaration = Pick<HttpToolRecord, "definition" | "sealed_variables">;

/** Where calls go, but for what the model gives. It may hold secrets. Throws for a variable without a value. */
export function addressOf(
  secrets: SecretBox,
  { definition, sealed_variables }: Declaration,
): string {
  const variables = Object.fromEntries(
    Object.entries(sealed_variables)
      .filter(([name]) => definition.url.includes(`{${name}}`))
      .map(([name, sealed]) => [name, secrets.open(sealed)]),
  );
  return fillText(definition.url, { variables, args: {} }, (_, parameter) => `{{${parameter}}}`);
}
