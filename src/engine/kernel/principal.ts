import { EngineError } from "./error.ts";
import { grants, isProvisioner, maskOf, type Scope } from "./scope.ts";

/** The authenticated caller. */
export interface Principal {
  /**
   * An admin session and an end user come with a JWT, an API token with a `bb_` value, an OAuth client with
   * an access token for `/mcp/rpc`.
   */
  readonly kind: "admin_session" | "api_token" | "end_user" | "oauth_client" | "anonymous";
  /** The JWT's subject or the token's name; prefixes the visitor ids the token brings along. */
  readonly subject: string;
  readonly scopes_mask: number;
}

/** What an operation asks of its caller: `authenticated` is any token or session, a list any of its scopes. */
export type Guard = "public" | "authenticated" | "admin_session" | Scope | readonly Scope[];

export const anonymous: Principal = { kind: "anonymous", subject: "", scopes_mask: 0 };

export const adminSession = (subject: string): Principal => ({
  kind: "admin_session",
  subject,
  scopes_mask: maskOf(["admin"]),
});

/** An end user may chat, answer, and reach its own sessions; nothing else (specification 5.7). */
export const endUser = (subject: string): Principal => ({
  kind: "end_user",
  subject,
  scopes_mask: maskOf(["chat", "sessions:read", "sessions:write"]),
});

/** The same caller with what this guard asks for, for one call that was allowed on other grounds. */
export function lent(principal: Principal, guard: Guard): Principal {
  if (guard === "public" || guard === "authenticated" || guard === "admin_session")
    return principal;
  const [scope] = typeof guard === "string" ? [guard] : guard;
  return scope ? { ...principal, scopes_mask: principal.scopes_mask | maskOf([scope]) } : principal;
}

/** Throws `unauthorized` or `forbidden`; the message names the missing scope. */
export function requireGuard(principal: Principal, guard: Guard): void {
  if (guard === "public") return;
  if (principal.kind === "anonymous") {
    throw new EngineError("unauthorized", "a bearer token is required: an API token or a session");
  }
  if (guard === "authenticated") {
    refuseEndUser(principal);
    return;
  }
  if (guard === "admin_session") {
    requireAdminSession(principal);
    return;
  }
  const scopes: readonly Scope[] = typeof guard === "string" ? [guard] : guard;
  if (scopes.some((scope) => grants(principal.scopes_mask, scope))) return;
  throw new EngineError("forbidden", `this token lacks the scope ${scopes.join(" or ")}`);
}

/**
 * Whether what this caller configures may reach loopback and private addresses (decision 30): an
 * administrator's may, what a token with `provision` alone sets up may not. The plain write scopes
 * count as an administrator's; together they are what `provision` consists of.
 */
export const mayUsePrivateAddresses = ({ scopes_mask }: Principal): boolean =>
  !isProvisioner(scopes_mask);

function requireAdminSession(principal: Principal): void {
  if (principal.kind === "admin_session") return;
  throw new EngineError("forbidden", "this needs an admin session; an API token cannot do it");
}

function refuseEndUser({ kind }: Principal): void {
  if (kind !== "end_user") return;
  throw new EngineError("forbidden", "an end user may chat and reach their own sessions only");
}
