import { notFound } from "../kernel/error.ts";
import { LIMITS } from "../kernel/limits.ts";
import type { Principal } from "../kernel/principal.ts";
import type { SessionRecord } from "./session.ts";

const VISITOR = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Whose session a chat opens. A JWT's subject stands as it is; a token's visitors live in the token's
 * own namespace, so that no token can speak for another's (contract 4.1).
 */
export function visitorOf(principal: Principal, user_sub: string | undefined): string {
  const { kind, subject } = principal;
  if (kind !== "api_token" || !user_sub || !VISITOR.test(user_sub)) return subject;
  const visitor = `${subject}:${user_sub}`;
  return visitor.length <= LIMITS.visitor_id_characters ? visitor : subject;
}

/** An end user sees only their own sessions (section 4 Sessions). */
export const isVisible = ({ kind, subject }: Principal, { user_sub }: SessionRecord): boolean =>
  kind !== "end_user" || user_sub === subject;

/** Another user's session is not found, so that its existence does not show. */
export function requireVisible(principal: Principal, session: SessionRecord): void {
  if (!isVisible(principal, session)) throw notFound("session", session.id);
}
