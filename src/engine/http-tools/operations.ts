import { z } from "zod";
import { forbidden, notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { grants } from "../kernel/scope.ts";
import type { SecretBox } from "../kernel/secrets.ts";
import { defineOperation } from "../operation.ts";
import { addressOf, type Declaration } from "./address.ts";
import { HttpToolDefinition, HttpToolName } from "./http-tool.ts";

/** Declared tools are written by a configuration document alone (contract 13.20): no route serves these. */
export const saveHttpTool = defineOperation({
  name: "http_tools.save",
  summary: "Declare a tool that sends an HTTP request, or declare it anew",
  scope: "config",
  effect: "write",
  input: z.object({
    name: HttpToolName,
    definition: HttpToolDefinition,
    /** New values; one that is not given stays, and one that the definition does not name goes. */
    variables: z.record(z.string(), z.string()),
    names: z.array(z.string()),
  }),
  output: Nothing,
  run: (ctx, { name, definition, variables, names }) =>
    ctx.write(async (tx) => {
      const known = await tx.http_tools.getByName(name);
      const { secrets } = ctx.services;
      const sealed = names.flatMap((key) => {
        const given = Object.hasOwn(variables, key) ? variables[key] : undefined;
        const value = given === undefined ? known?.sealed_variables[key] : secrets.seal(given);
        return value === undefined ? [] : [[key, value] as const];
      });
      const updated_at = ctx.now().toISOString();
      const fields = { definition, sealed_variables: Object.fromEntries(sealed), updated_at };
      if (known && !grants(ctx.principal.scopes_mask, "admin"))
        requireValuesStay(secrets, known, fields);
      if (known) await tx.http_tools.update(known.id, fields);
      else await tx.http_tools.insert({ id: ctx.newId(), name, created_at: updated_at, ...fields });
      return undefined;
    }),
});

/** Who may not read a value must not have it sent to an address of their own. Throws `forbidden`. */
function requireValuesStay(secrets: SecretBox, before: Declaration, after: Declaration): void {
  if (addressOf(secrets, before) === addressOf(secrets, after)) return;
  const { sealed_variables: known } = before;
  const taken = Object.entries(after.sealed_variables).flatMap(([name, value]) =>
    known[name] === value ? [name] : [],
  );
  if (taken.length === 0) return;
  throw forbidden(
    `url: send ${taken.join(", ")} anew, as what is stored would go to another address`,
  );
}

export const deleteHttpTool = defineOperation({
  name: "http_tools.delete",
  summary: "Delete a declared tool; agents that list it lose it",
  scope: "config",
  effect: "destroy",
  input: z.object({ name: z.string() }),
  output: Nothing,
  run: (ctx, { name }) =>
    ctx.write(async (tx) => {
      const tool = await tx.http_tools.getByName(name);
      if (!tool) throw notFound("tool", name);
      await tx.http_tools.delete(tool.id);
      return undefined;
    }),
});
