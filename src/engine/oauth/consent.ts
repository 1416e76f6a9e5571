import { z } from "zod";
import type { Context } from "../context.ts";
import { EngineError } from "../kernel/error.ts";
import { newSecret, sha256 } from "../kernel/ids.ts";
import { LIMITS } from "../kernel/limits.ts";
import type { Principal } from "../kernel/principal.ts";
import { grants } from "../kernel/scope.ts";
import { defineOperation } from "../operation.ts";
import {
  type Authorization,
  AuthorizationRequest,
  answerUrl,
  findSender,
  fingerprintOf,
  requireRequest,
  requireScope,
} from "./authorization.ts";
import { oauthCodeOf, oauthError } from "./failure.ts";
import type { GrantScope } from "./grant.ts";
import type { OAuthPlace } from "./place.ts";
import { placeOf } from "./redirect.ts";
import { requireSigner } from "./signer.ts";

const Scope = z.enum(["provision", "manage"]);

/** What the consent page shows; an administrator also gets what consenting needs. */
export const describeAuthorization = (place: OAuthPlace) =>
  defineOperation({
    name: "oauth.authorize_info",
    summary: "What a consent page shows of an authorization request",
    scope: "public",
    effect: "read",
    input: AuthorizationRequest,
    output: z.object({
      client_name: z.string(),
      /** Narrowest first. */
      scopes: z.array(Scope),
      redirect_uri_valid: z.boolean(),
      /** The site or program that gets the answer. */
      redirect_place: z.string().optional(),
      resource: z.string(),
      consent_nonce: z.string().optional(),
      /** What is wrong with the rest of the request, and where to send the client with it. */
      error: z.string().optional(),
      error_description: z.string().optional(),
      redirect_url: z.string().optional(),
    }),
    run: async (ctx, request) => {
      const { client, redirect_uri } = await findSender(ctx, request);
      const { resource } = place;
      const known = { client_name: client.name, resource };
      // An address that is not the client's own learns nothing, not even that something is wrong.
      if (redirect_uri === undefined) return { ...known, scopes: [], redirect_uri_valid: false };
      const shown = { ...known, redirect_uri_valid: true, redirect_place: placeOf(redirect_uri) };
      try {
        const authorization = requireRequest({ client, redirect_uri }, request, place);
        const consent_nonce = isAdmin(ctx.principal)
          ? await signConsent(ctx, authorization, place)
          : undefined;
        return { ...shown, scopes: scopesUpTo(authorization.scope), consent_nonce };
      } catch (thrown) {
        if (!(thrown instanceof EngineError)) throw thrown;
        const error = oauthCodeOf(thrown);
        const { message: error_description } = thrown;
        const answer = { error, error_description, state: request.state };
        return {
          ...shown,
          scopes: [],
          error,
          error_description,
          redirect_url: answerUrl(redirect_uri, answer, place),
        };
      }
    },
  });

const ConsentAnswer = AuthorizationRequest.extend({
  consent_nonce: z.string().max(LIMITS.oauth.parameter_characters),
  approved_scopes: z.array(z.string()).optional(),
  deny: z.boolean().optional(),
});

/** Only what was shown, to whom it was shown, once (contract 4.15). */
export const approveAuthorization = (place: OAuthPlace) =>
  defineOperation({
    name: "oauth.approve",
    summary: "Answer a consent page: yes or no",
    scope: "admin",
    effect: "write",
    input: ConsentAnswer,
    output: z.object({ redirect_url: z.string() }),
    run: async (ctx, { consent_nonce, approved_scopes, deny, ...request }) => {
      const { client, redirect_uri } = await findSender(ctx, request);
      if (redirect_uri === undefined) throw notRegistered();
      const authorization = requireRequest({ client, redirect_uri }, request, place);
      const id = await requireConsent(ctx, consent_nonce, authorization, place);
      const scope = narrowed(authorization.scope, approved_scopes);
      const { state, code_challenge } = authorization;
      const code = newSecret();
      const now = ctx.now();
      await ctx.write(async (tx) => {
        if (await tx.oauth_grants.get(id)) throw alreadyAnswered();
        const created_at = now.toISOString();
        await tx.oauth_grants.insert({
          id,
          client_uuid: client.uuid,
          client_name: client.name,
          redirect_place: placeOf(redirect_uri),
          scope,
          resource: place.resource,
          subject: ctx.principal.subject,
          created_at,
          // A no is remembered as a consent that is over, so that it can't be answered again.
          revoked_at: deny ? created_at : undefined,
        });
        if (deny) return;
        await tx.oauth_grants.insertSecret({
          hash: sha256(code),
          grant_id: id,
          kind: "code",
          redirect_uri,
          code_challenge,
          expires_at: new Date(now.getTime() + LIMITS.oauth.code_s * 1000).toISOString(),
        });
      });
      const answer = deny ? { error: "access_denied", state } : { code, state };
      return { redirect_url: answerUrl(redirect_uri, answer, place) };
    },
  });

const scopesUpTo = (scope: GrantScope): GrantScope[] =>
  scope === "manage" ? ["provision", "manage"] : ["provision"];

/** Less than was asked for may be given, more may not. Throws `invalid_scope`. */
function narrowed(asked: GrantScope, approved: readonly string[] | undefined): GrantScope {
  if (approved === undefined) return asked;
  if (approved.length === 0) throw oauthError("invalid_scope", "approved_scopes: is empty");
  const scope = requireScope(approved.join(" "));
  if (asked === "manage" || scope === "provision") return scope;
  throw oauthError("invalid_scope", "approved_scopes: is more than the client asked for");
}

const isAdmin = ({ scopes_mask }: Principal): boolean => grants(scopes_mask, "admin");

const consenterOf = ({ kind, subject }: Principal): string => `${kind}:${subject}`;

const signConsent = (
  ctx: Context,
  authorization: Authorization,
  place: OAuthPlace,
): Promise<string> => {
  const request = fingerprintOf(authorization, place);
  const claims = { sub: consenterOf(ctx.principal), jti: ctx.newId(), request };
  return requireSigner(ctx).sign("oauth-consent+jwt", claims, ctx.now(), LIMITS.oauth.consent_s);
};

/** The id that the consent will have. Throws `invalid_request`. */
async function requireConsent(
  ctx: Context,
  nonce: string,
  authorization: Authorization,
  place: OAuthPlace,
): Promise<string> {
  const claims = await requireSigner(ctx).verify("oauth-consent+jwt", nonce, ctx.now());
  const is_shown =
    claims?.sub === consenterOf(ctx.principal) &&
    claims.request === fingerprintOf(authorization, place);
  if (!is_shown || !claims.jti) {
    throw oauthError(
      "invalid_request",
      "consent_nonce: is not for this request, or has expired; open the consent page again",
    );
  }
  return claims.jti;
}

const notRegistered = () =>
  oauthError("invalid_request", "redirect_uri: is not one that the client registered");

const alreadyAnswered = () =>
  oauthError("invalid_request", "consent_nonce: this request was answered already");
