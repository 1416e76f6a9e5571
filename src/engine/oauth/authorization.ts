import { z } from "zod";
import type { Context } from "../context.ts";
import { sha256 } from "../kernel/ids.ts";
import { LIMITS } from "../kernel/limits.ts";
import { type OAuthClient, requireClient } from "./client.ts";
import { oauthError } from "./failure.ts";
import type { GrantScope } from "./grant.ts";
import type { OAuthPlace } from "./place.ts";
import { matchesRedirect } from "./redirect.ts";

const Text = z.string().max(LIMITS.oauth.parameter_characters).optional();

/** What a client asks for at the consent page (RFC 6749, 7636 and 8707). */
export const AuthorizationRequest = z.object({
  client_id: Text,
  redirect_uri: Text,
  response_type: Text,
  scope: Text,
  state: Text,
  code_challenge: Text,
  code_challenge_method: Text,
  resource: Text,
});
type Request = z.output<typeof AuthorizationRequest>;

/** A request in which everything fits. */
export interface Authorization {
  readonly client: OAuthClient;
  readonly redirect_uri: string;
  readonly scope: GrantScope;
  readonly state: string | undefined;
  readonly code_challenge: string;
}

/** The client, and where its answer goes: undefined for an address that is not its own. Throws `invalid_client`. */
export async function findSender(ctx: Context, { client_id, redirect_uri }: Request) {
  const client = await requireClient(ctx, client_id);
  const is_own = redirect_uri !== undefined && matchesRedirect(client.redirect_uris, redirect_uri);
  return { client, redirect_uri: is_own ? redirect_uri : undefined };
}

/** Of a request whose sender is known. Throws what OAuth calls the problem. */
export function requireRequest(
  { client, redirect_uri }: Pick<Authorization, "client" | "redirect_uri">,
  request: Request,
  { resource }: OAuthPlace,
): Authorization {
  if ((request.response_type ?? "code") !== "code") {
    throw oauthError("unsupported_response_type", 'response_type: only "code" is supported');
  }
  if (request.code_challenge_method !== "S256") {
    throw oauthError("invalid_request", "code_challenge_method: must be S256");
  }
  if (!/^[A-Za-z0-9_-]{43}$/.test(request.code_challenge ?? "")) {
    throw oauthError("invalid_request", "code_challenge: must be a SHA-256 hash in base64url");
  }
  requireResource(request.resource, resource);
  return {
    client,
    redirect_uri,
    scope: requireScope(request.scope),
    state: request.state,
    code_challenge: request.code_challenge ?? "",
  };
}

/** Throws `invalid_target` for anything but this server's own `/mcp/rpc`. */
export function requireResource(asked: string | undefined, resource: string): void {
  if (asked === undefined || asked.replace(/\/$/, "") === resource) return;
  throw oauthError("invalid_target", `resource: this server issues tokens for ${resource} alone`);
}

/** Refresh tokens come without asking; `manage` includes `provision`. Throws `invalid_scope`. */
export function requireScope(asked = ""): GrantScope {
  const names = asked.split(" ").filter((name) => name !== "" && name !== "offline_access");
  const unknown = names.find((name) => name !== "provision" && name !== "manage");
  if (unknown !== undefined) {
    throw oauthError("invalid_scope", `scope: "${unknown}" is none of provision, manage`);
  }
  return names.includes("manage") ? "manage" : "provision";
}

/** Stands for what an administrator was shown; another request has another. */
export const fingerprintOf = (
  { client, redirect_uri, scope, state, code_challenge }: Authorization,
  { issuer, resource }: OAuthPlace,
): string =>
  sha256(JSON.stringify([client.id, redirect_uri, scope, state, code_challenge, issuer, resource]));

/** The client's address with the answer, and with who gives it (RFC 9207). */
export function answerUrl(
  redirect_uri: string,
  answer: Readonly<Record<string, string | undefined>>,
  { issuer }: OAuthPlace,
): string {
  const url = new URL(redirect_uri);
  for (const [name, value] of Object.entries({ ...answer, iss: issuer })) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}
