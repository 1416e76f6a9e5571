import { type CryptoKey, type JWTPayload, jwtVerify, SignJWT } from "jose";
import { ALGORITHM } from "../auth/jwt.ts";

import type { Context } from "../context.ts";
import { EngineError } from "../kernel/error.ts";

/**
 * What the authorization server signs, each with a `typ` of its own, so that none passes for another: what
 * a client may reach `/mcp/rpc` with, a client's registration, and what an administrator was shown.
 */
export type SignedKind = "at+jwt" | "oauth-client+jwt" | "oauth-consent+jwt";

export interface OAuthSigner {
  /** Without a lifetime in seconds it never expires. */
  sign(kind: SignedKind, claims: JWTPayload, now: Date, lifetime_s?: number): Promise<string>;
  /** Undefined for what is not signed here, for another purpose, or expired. */
  verify(kind: SignedKind, token: string, now: Date): Promise<JWTPayload | undefined>;
}

export const createOAuthSigner = (keys: {
  readonly private_key: CryptoKey;
  readonly public_key: CryptoKey;
}): OAuthSigner => ({
  sign(kind, claims, now, lifetime_s) {
    const issued_s = Math.floor(now.getTime() / 1000);
    const token = new SignJWT({ ...claims, iat: issued_s }).setProtectedHeader({
      alg: ALGORITHM,
      typ: kind,
    });
    if (lifetime_s !== undefined) token.setExpirationTime(issued_s + lifetime_s);
    return token.sign(keys.private_key);
  },
  async verify(kind, token, currentDate) {
    try {
      const options = { algorithms: [ALGORITHM], typ: kind, currentDate };
      return (await jwtVerify(token, keys.public_key, options)).payload;
    } catch {
      return undefined;
    }
  },
});

/** Throws `not_found` where the authorization server is off. */
export function requireSigner({ services }: Pick<Context, "services">): OAuthSigner {
  if (services.oauth) return services.oauth;
  throw new EngineError("not_found", "this server has its authorization server switched off");
}
