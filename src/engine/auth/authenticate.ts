import type { Context } from "../context.ts";
import { unauthorized } from "../kernel/error.ts";
import { isTokenValue, sha256 } from "../kernel/ids.ts";
import { anonymous, type Principal } from "../kernel/principal.ts";
import { authenticateClient, isAccessToken } from "../oauth/access.ts";
import type { OAuthPlace } from "../oauth/place.ts";

/** Last use is told to the minute, so that a busy token costs no write per request. */
const TOUCH_EVERY_MS = 60_000;

/**
 * Who stands behind an `Authorization` header. Nothing is cached: a revocation bites on the next
 * request. Throws `unauthorized` for a credential that is malformed, unknown, expired or revoked.
 */
export async function authenticate(
  ctx: Omit<Context, "principal">,
  authorization: string | undefined,
  place?: OAuthPlace,
): Promise<Principal> {
  if (authorization === undefined) return anonymous;
  if (!authorization.startsWith("Bearer ")) {
    throw unauthorized("the Authorization header must be `Bearer <token>`");
  }
  const token = authorization.slice("Bearer ".length).trim();
  if (place && isAccessToken(token)) return authenticateClient(ctx, token, place);
  if (token.startsWith("bb_")) return authenticateToken(ctx, token);
  const principal = await ctx.services.verifier.verify(token, ctx.now());
  if (principal.kind === "end_user") await requireOwnNamespace(ctx, principal);
  return principal;
}

/** An API token's visitors are called `<token>:<visitor>`: no identity provider may name a person so. */
async function requireOwnNamespace(
  { read }: Omit<Context, "principal">,
  { subject }: Principal,
): Promise<void> {
  const [name = ""] = subject.split(":", 1);
  if (!(await read.tokens.getByName(name))) return;
  throw unauthorized(
    `the subject of this JWT is in the namespace of the API token "${name}": give the token another name`,
  );
}

async function authenticateToken(
  ctx: Omit<Context, "principal">,
  value: string,
): Promise<Principal> {
  const token = isTokenValue(value) ? await ctx.read.tokens.getByHash(sha256(value)) : undefined;
  if (!token) throw unauthorized("the API token is invalid or was revoked");
  const now = ctx.now();
  const last_used = token.last_used_at ? Date.parse(token.last_used_at) : 0;
  if (now.getTime() - last_used >= TOUCH_EVERY_MS) {
    await ctx.write((tx) => tx.tokens.touch(token.id, now.toISOString()));
  }
  return { kind: "api_token", subject: token.name, scopes_mask: token.scopes_mask };
}
