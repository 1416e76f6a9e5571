import { z } from "zod";
import { badRequest, conflict, notFound } from "../kernel/error.ts";
import { Nothing } from "../kernel/fields.ts";
import { newTokenValue, sha256 } from "../kernel/ids.ts";
import { maskOf, maskOfName, scopeNames, scopesOf } from "../kernel/scope.ts";
import { defineOperation } from "../operation.ts";
import { NewToken, Token, TokenCreate, TokenKey, type TokenRecord } from "./token.ts";

export const createToken = defineOperation({
  name: "auth.tokens.create",
  summary: "Create an API token; its value is shown this once",
  scope: "admin_session",
  effect: "write",
  input: TokenCreate,
  output: NewToken,
  run: (ctx, { name, scopes = [], scopes_mask = 0 }) => {
    const asked = scopes.reduce((sum, scope) => sum | (maskOfName(scope) ?? 0), scopes_mask);
    // A bit that means nothing today must not come to mean something later.
    const mask = maskOf(scopesOf(asked));
    if (mask === 0) {
      throw badRequest(`scopes: at least one is required, of: ${scopeNames().join(", ")}`);
    }
    const token = newTokenValue();
    return ctx.write(async (tx) => {
      if (await tx.tokens.getByName(name)) throw conflict(`token "${name}" already exists`);
      const record: TokenRecord = {
        id: ctx.newId(),
        name,
        hash: sha256(token),
        scopes_mask: mask,
        created_at: ctx.now().toISOString(),
      };
      await tx.tokens.insert(record);
      return { ...toToken(record), token };
    });
  },
});

export const listTokens = defineOperation({
  name: "auth.tokens.list",
  summary: "List API tokens, without their values",
  scope: "admin_session",
  effect: "read",
  input: z.object({}),
  output: z.array(Token),
  run: async ({ read }) => (await read.tokens.list()).map(toToken),
});

export const revokeToken = defineOperation({
  name: "auth.tokens.revoke",
  summary: "Revoke an API token, effective on the next request",
  scope: "admin_session",
  effect: "destroy",
  input: TokenKey,
  output: Nothing,
  run: (ctx, { id }) =>
    ctx.write(async (tx) => {
      if (!(await tx.tokens.get(id))) throw notFound("token", id);
      await tx.tokens.delete(id);
      return undefined;
    }),
});

const toToken = (record: TokenRecord) => ({ ...record, scopes: scopesOf(record.scopes_mask) });
