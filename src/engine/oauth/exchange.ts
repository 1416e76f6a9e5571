import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { OAUTH_REVOKE } from "../audit/audit.ts";
import { entryOf } from "../audit/record.ts";
import type { Context } from "../context.ts";
import { newSecret, sha256 } from "../kernel/ids.ts";
import { LIMITS } from "../kernel/limits.ts";
import { defineOperation } from "../operation.ts";
import type { Writes } from "../store.ts";
import { requireResource } from "./authorization.ts";
import { requireClient } from "./client.ts";
import { oauthError } from "./failure.ts";
import type { GrantRecord, GrantSecretRecord } from "./grant.ts";
import type { OAuthPlace } from "./place.ts";
import { requireSigner } from "./signer.ts";

const Text = z.string().max(LIMITS.oauth.parameter_characters);

const TokenRequest = z.object({
  grant_type: Text,
  client_id: Text,
  code: Text.optional(),
  redirect_uri: Text.optional(),
  code_verifier: Text.optional(),
  refresh_token: Text.optional(),
  resource: Text.optional(),
});
type TokenRequest = z.output<typeof TokenRequest>;

/** Tokens for a code, or for a refresh token, which is replaced each time; its scope stays as it was. */
export const exchangeToken = (place: OAuthPlace) =>
  defineOperation({
    name: "oauth.token",
    summary: "Exchange an authorization code or a refresh token for an access token",
    scope: "public",
    effect: "write",
    input: TokenRequest,
    output: z.object({
      access_token: z.string(),
      token_type: z.literal("Bearer"),
      /** Seconds. */
      expires_in: z.int(),
      refresh_token: z.string(),
      scope: z.string(),
    }),
    run: async (ctx, request) => {
      const { kind, value } = requireSecret(request);
      const client = await requireClient(ctx, request.client_id);
      requireResource(request.resource, place.resource);
      // What nobody issued changes nothing, so strangers can't make us write.
      if (!(await ctx.read.oauth_grants.getSecret(sha256(value)))) throw unknown(kind);
      const refresh_token = newSecret();
      const outcome = await ctx.write(async (tx) => {
        const redeemed = await redeem(ctx, tx, kind, value);
        if (!("grant" in redeemed)) return redeemed;
        const { grant, secret } = redeemed;
        const problem =
          grant.client_uuid !== client.uuid || grant.resource !== place.resource
            ? `the ${nameOf(kind)} was issued to another client or for another address`
            : problemOf(secret, request);
        if (problem !== undefined) return { problem };
        await tx.oauth_grants.insertSecret({
          hash: sha256(refresh_token),
          grant_id: grant.id,
          kind: "refresh",
          expires_at: later(ctx.now(), LIMITS.oauth.refresh_s),
        });
        return { grant };
      });
      // Thrown only now: inside, it would undo that the secret is used up, or the family revoked.
      if (!("grant" in outcome)) throw oauthError("invalid_grant", outcome.problem);
      return {
        access_token: await signAccess(ctx, outcome.grant, place),
        token_type: "Bearer" as const,
        expires_in: LIMITS.oauth.access_s,
        refresh_token,
        scope: outcome.grant.scope,
      };
    },
  });

type Kind = GrantSecretRecord["kind"];

function requireSecret(request: TokenRequest): { kind: Kind; value: string } {
  const { grant_type, code, refresh_token } = request;
  if (grant_type === "authorization_code") {
    if (!code) throw oauthError("invalid_request", "code: is required");
    return { kind: "code", value: code };
  }
  if (grant_type === "refresh_token") {
    if (!refresh_token) throw oauthError("invalid_request", "refresh_token: is required");
    return { kind: "refresh", value: refresh_token };
  }
  if (grant_type === "") throw oauthError("invalid_request", "grant_type: is required");
  throw oauthError(
    "unsupported_grant_type",
    "grant_type: must be authorization_code or refresh_token",
  );
}

type Redeemed =
  | { readonly grant: GrantRecord; readonly secret: GrantSecretRecord }
  | { readonly problem: string };

/** Uses the secret up, whatever comes of it. One that is used again was stolen: its whole family ends. */
async function redeem(ctx: Context, tx: Writes, kind: Kind, value: string): Promise<Redeemed> {
  const hash = sha256(value);
  const secret = await tx.oauth_grants.getSecret(hash);
  const grant = secret && (await tx.oauth_grants.get(secret.grant_id));
  if (!grant || secret.kind !== kind) return { problem: unknown(kind).message };
  const now = ctx.now().toISOString();
  if (secret.used_at !== undefined) {
    if (!grant.revoked_at) await endFamily(ctx, tx, grant);
    return { problem: `the ${nameOf(kind)} was used before; everything issued with it is revoked` };
  }
  await tx.oauth_grants.markUsed(hash, now);
  if (grant.revoked_at) return { problem: `the ${nameOf(kind)} was revoked` };
  if (secret.expires_at <= now) return { problem: `the ${nameOf(kind)} has expired` };
  return { grant, secret };
}

async function endFamily(ctx: Context, tx: Writes, grant: GrantRecord): Promise<void> {
  await tx.oauth_grants.revoke(grant.id, ctx.now().toISOString());
  const details = { client: grant.client_name, reason: "a code or refresh token was used twice" };
  await tx.audit.append(entryOf(ctx, OAUTH_REVOKE, { resource: grant.resource, details }));
}

/** What the request says beside the secret must fit to it. */
function problemOf(secret: GrantSecretRecord, request: TokenRequest): string | undefined {
  if (secret.kind === "refresh") return undefined;
  if (request.redirect_uri !== secret.redirect_uri)
    return "redirect_uri: is not the one of the code";
  if (!isAnswerTo(secret.code_challenge ?? "", request.code_verifier ?? "")) {
    return "code_verifier: does not meet the code's challenge";
  }
  return undefined;
}

/** RFC 7636, S256. */
function isAnswerTo(challenge: string, verifier: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false;
  const answer = createHash("sha256").update(verifier).digest();
  const asked = Buffer.from(challenge, "base64url");
  return asked.length === answer.length && timingSafeEqual(asked, answer);
}

function signAccess(ctx: Context, grant: GrantRecord, { issuer }: OAuthPlace): Promise<string> {
  const { id, subject, resource, client_uuid, scope } = grant;
  const claims = { iss: issuer, aud: resource, sub: subject, client_id: client_uuid, scope };
  return requireSigner(ctx).sign(
    "at+jwt",
    { ...claims, grant: id, jti: ctx.newId() },
    ctx.now(),
    LIMITS.oauth.access_s,
  );
}

const later = (now: Date, seconds: number): string =>
  new Date(now.getTime() + seconds * 1000).toISOString();

const nameOf = (kind: Kind): string => (kind === "code" ? "code" : "refresh token");

const unknown = (kind: Kind) =>
  oauthError("invalid_grant", `the ${nameOf(kind)} is unknown here, or expired long ago`);
