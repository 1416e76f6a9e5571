import { type CryptoKey, decodeProtectedHeader, jwtVerify, SignJWT } from "jose";
import { unauthorized } from "../kernel/error.ts";
import { adminSession, endUser, type Principal } from "../kernel/principal.ts";
import { maskOfName } from "../kernel/scope.ts";

/** The one algorithm: Ed25519 (specification 5.1). */
export const ALGORITHM = "EdDSA";

export interface IssuedToken {
  readonly access_token: string;
  readonly expires_at: string;
}

export interface TokenIssuer {
  /** An admin session of this machine (specification 5.3). */
  issue(now: Date): Promise<IssuedToken>;
}

export interface TokenVerifier {
  /** Throws `unauthorized`. */
  verify(token: string, now: Date): Promise<Principal>;
}

/** The subject of local admin sessions (contract 4.13). */
export const LOCAL_ADMIN = "local-admin";

const CLOCK_TOLERANCE_S = 5;

export const createIssuer = (key: CryptoKey, ttl_s: number): TokenIssuer => ({
  async issue(now) {
    const issued_s = Math.floor(now.getTime() / 1000);
    const access_token = await new SignJWT({ tenant_id: "", scope: "admin" })
      .setProtectedHeader({ alg: ALGORITHM })
      .setSubject(LOCAL_ADMIN)
      .setIssuedAt(issued_s)
      .setExpirationTime(issued_s + ttl_s)
      .sign(key);
    return { access_token, expires_at: new Date((issued_s + ttl_s) * 1000).toISOString() };
  },
});

/**
 * `audience` is what a token's `aud`, if it has one, must be: a token for somebody else is none for us.
 * Neither is one that carries a `typ` claim: it was issued for another purpose (contract 4.13).
 */
export const createVerifier = (key: CryptoKey, audience: string | undefined): TokenVerifier => ({
  async verify(token, now) {
    try {
      if (decodeProtectedHeader(token).typ?.toLowerCase() === "at+jwt") throw new Error("typ");
      const { payload } = await jwtVerify(token, key, {
        algorithms: [ALGORITHM],
        requiredClaims: ["exp", "sub"],
        currentDate: now,
        clockTolerance: CLOCK_TOLERANCE_S,
      });
      if (payload.typ !== undefined) throw new Error("typ");
      if (payload.aud !== undefined && !isFor(payload.aud, audience)) throw new Error("aud");
      return toPrincipal(String(payload.sub), payload.scope);
    } catch (cause) {
      throw unauthorizedToken(cause);
    }
  },
});

const isFor = (aud: string | readonly string[], audience: string | undefined): boolean =>
  audience !== undefined && [aud].flat().includes(audience);

/** `admin` in the scope claim makes an admin; everyone else is an end user (decision 15). */
function toPrincipal(subject: string, scope: unknown): Principal {
  const names = typeof scope === "string" ? scope.split(" ").filter(Boolean) : [];
  if (names.some((name) => maskOfName(name) === undefined)) throw new Error("unknown scope");
  if (subject === "") throw new Error("empty subject");
  return names.includes("admin") ? adminSession(subject) : endUser(subject);
}

const unauthorizedToken = (cause: unknown) =>
  Object.assign(unauthorized("the token is invalid or has expired"), { cause });
