import { decodeProtectedHeader } from "jose";
import type { Context } from "../context.ts";
import { unauthorized } from "../kernel/error.ts";
import type { Principal } from "../kernel/principal.ts";
import { maskOfName } from "../kernel/scope.ts";
import type { OAuthPlace } from "./place.ts";

/** Whether it says that it is an access token of an authorization server. */
export function isAccessToken(token: string): boolean {
  try {
    return decodeProtectedHeader(token).typ?.toLowerCase() === "at+jwt";
  } catch {
    return false;
  }
}

/**
 * The client behind an access token. Only the address that a token is for accepts it, and it ends with the
 * consent behind it, on the next request. Throws `unauthorized`.
 */
export async function authenticateClient(
  ctx: Omit<Context, "principal">,
  token: string,
  { issuer, resource }: OAuthPlace,
): Promise<Principal> {
  const claims = await ctx.services.oauth?.verify("at+jwt", token, ctx.now());
  if (claims?.iss !== issuer || claims.aud !== resource) {
    throw unauthorized("the access token is invalid, has expired, or is for another address");
  }
  const grant = await ctx.read.oauth_grants.get(String(claims.grant));
  if (!grant || grant.revoked_at) throw unauthorized("the access token was revoked");
  return {
    kind: "oauth_client",
    subject: `oauth:${grant.client_name}`,
    scopes_mask: maskOfName(grant.scope) ?? 0,
  };
}
