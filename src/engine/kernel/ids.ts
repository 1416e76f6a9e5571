import { createHash, randomBytes, randomUUIDv7 } from "node:crypto";

/** Version 7: it begins with the time, so that new rows come to lie beside one another in the store. */
export const newUuid = (): string => randomUUIDv7();

/** An API token's value: shown once, afterwards only its hash is known (contract 2.23). */
export const newTokenValue = (): string => `bb_${randomBytes(32).toString("hex")}`;

/** Nobody can guess it: 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

export const isTokenValue = (text: string): boolean => /^bb_[0-9a-f]{64}$/.test(text);

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The same UUID for the same text (RFC 9562, version 8). */
export function uuidOf(text: string): string {
  const hash = sha256(text);
  const parts = [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`];
  return [...parts, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join("-");
}
