import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { AUTH_SUCCESS } from "../audit/audit.ts";
import { entryOf } from "../audit/record.ts";
import { EngineError, forbidden } from "../kernel/error.ts";
import { sha256 } from "../kernel/ids.ts";
import { adminSession } from "../kernel/principal.ts";
import { defineOperation } from "../operation.ts";
import { LOCAL_ADMIN } from "./jwt.ts";

/** Where a request for a local session comes from, as its transport saw it. */
export interface RequestOrigin {
  /** The peer's address; absent for a caller in this process. */
  readonly peer: string | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly sec_fetch_site: string | undefined;
  readonly bootstrap_secret: string | undefined;
  /** Whether a proxy says that it passes on what came from elsewhere. */
  readonly is_forwarded: boolean;
}

/** What the server knows of itself. */
export interface LocalSessionPolicy {
  /** Set when the server listens on more than loopback: then the caller must know it (decision 14). */
  readonly bootstrap_secret: string | undefined;
}

const LOOPBACK_ADDRESS = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** Of a `Host` header, with or without a port. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK_HOST.test(host);

/**
 * A local session makes an admin of whoever asks, so only this machine's own programs may: never a
 * web page, another host, or a name that merely resolves to loopback. Throws `forbidden`.
 */
export function refuseStrangers(request: RequestOrigin, policy: LocalSessionPolicy): void {
  if (request.peer !== undefined && !LOOPBACK_ADDRESS.test(request.peer)) {
    throw forbidden("a local session is only for callers on this machine");
  }
  if (request.is_forwarded) {
    throw forbidden("a local session is not for callers behind a proxy");
  }
  if (!request.host || !isLoopbackHost(request.host)) {
    throw forbidden("a local session must be asked for at a loopback host, like 127.0.0.1");
  }
  if (request.sec_fetch_site !== undefined && !isOwnSite(request.sec_fetch_site)) {
    throw forbidden("a local session is not for other sites' pages");
  }
  if (request.origin !== undefined && !isOwnOrigin(request.origin, request.host)) {
    throw forbidden("a local session is not for other sites' pages");
  }
  if (policy.bootstrap_secret !== undefined && !isSecret(request.bootstrap_secret, policy)) {
    throw forbidden("a local session needs the bootstrap secret from the server's data directory");
  }
}

const isOwnSite = (site: string): boolean => site === "same-origin" || site === "none";

const isOwnOrigin = (origin: string, host: string): boolean =>
  URL.canParse(origin) && new URL(origin).host === host;

/** Hashes have one length, so that the comparison tells nothing of the secret's. */
const isSecret = (given: string | undefined, policy: LocalSessionPolicy): boolean =>
  given !== undefined &&
  timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(policy.bootstrap_secret ?? "")));

const LocalSession = z.object({
  access_token: z.string(),
  expires_at: z.string().meta({ format: "date-time" }),
  token_type: z.literal("Bearer"),
});

const issueLocalSession = (name: string, summary: string, scope: "public" | "admin_session") =>
  defineOperation({
    name,
    summary,
    scope,
    effect: "read",
    input: z.object({}),
    output: LocalSession,
    run: async (ctx) => {
      const { issuer } = ctx.services;
      if (!issuer) throw new EngineError("not_found", "local sessions are off in external mode");
      const session = await issuer.issue(ctx.now());
      const place = { ...ctx, principal: adminSession(LOCAL_ADMIN) };
      const entry = entryOf(place, AUTH_SUCCESS, { resource: name, details: {} });
      await ctx.write((tx) => tx.audit.append(entry));
      return { ...session, token_type: "Bearer" as const };
    },
  });

/** The transport calls `refuseStrangers` first. */
export const createLocalSession = issueLocalSession(
  "auth.local_session",
  "Open an admin session from this machine (local mode)",
  "public",
);

export const refreshLocalSession = issueLocalSession(
  "auth.refresh_local_session",
  "Renew an admin session (local mode)",
  "admin_session",
);
