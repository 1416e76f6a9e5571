import { z } from "zod";
import { notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { defineOperation } from "../operation.ts";

/** For doors that know a relation without its schema. */
export const deleteRelationById = defineOperation({
  name: "relations.delete",
  summary: "Delete a relation",
  scope: "schemas:write",
  effect: "destroy",
  input: z.object({ relationId: z.string().min(1) }),
  output: Nothing,
  run: (ctx, { relationId }) =>
    ctx.write(async (tx) => {
      if (!(await tx.relations.get(relationId))) throw notFound("relation", relationId);
      await tx.relations.delete(relationId);
      return undefined;
    }),
});
