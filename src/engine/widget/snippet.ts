import { z } from "zod";
import { badRequest, notFound } from "../kernel/error.ts";
import { HttpUrl } from "../kernel/fields.ts";
import { newTokenValue, sha256 } from "../kernel/ids.ts";
import { maskOf } from "../kernel/scope.ts";
import { defineOperation } from "../operation.ts";
import type { Reads } from "../store.ts";

/** Stands where a server that does not know its own address can't say it. */
const UNKNOWN_ADDRESS = "https://YOUR-SERVER";

export const createSnippet = defineOperation({
  name: "widget.create_snippet",
  summary: "Create a chat token and the script tag that puts a schema's chat into a web page",
  scope: "schemas:write",
  effect: "write",
  input: z.object({
    schema_name: z.string().min(1),
    /** Where pages reach this server. */
    endpoint: HttpUrl.optional(),
  }),
  output: z.object({
    snippet: z.string(),
    token_name: z.string(),
    note: z.string(),
  }),
  run: (ctx, { schema_name, endpoint = UNKNOWN_ADDRESS }) =>
    ctx.write(async (tx) => {
      const schema = await tx.schemas.getByName(schema_name);
      if (!schema) throw notFound("schema", schema_name);
      if (!schema.chat_enabled) {
        throw badRequest(`schema_name: chat is not enabled for "${schema.name}"; enable it first`);
      }
      const token = newTokenValue();
      const token_name = await freeName(tx, `widget-${schema.name}`);
      await tx.tokens.insert({
        id: ctx.newId(),
        name: token_name,
        hash: sha256(token),
        scopes_mask: maskOf(["chat"]),
        created_at: ctx.now().toISOString(),
      });
      // What a URL writes out has no quotes that could end the attribute.
      const address =
        endpoint === UNKNOWN_ADDRESS ? endpoint : new URL(endpoint).href.replace(/\/+$/, "");
      const snippet = `<script src="${address}/widget.js" data-schema="${schema.name}" data-api-key="${token}"></script>`;
      const place = endpoint === UNKNOWN_ADDRESS ? ` Replace ${UNKNOWN_ADDRESS} first.` : "";
      const note = `The token "${token_name}" may only chat. It is shown this once: keep the snippet.${place}`;
      return { snippet, token_name, note };
    }),
});

/** A snippet that was lost can't be shown again, so another one gets a token of its own. */
async function freeName({ tokens }: Pick<Reads, "tokens">, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name}-${number}`;
    if (!(await tokens.getByName(candidate))) return candidate;
  }
}
