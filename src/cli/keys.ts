import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import {
  ALGORITHM,
  createIssuer,
  createVerifier,
  type TokenIssuer,
  type TokenVerifier,
} from "#engine/auth/jwt.ts";
import { EngineError } from "#engine/kernel/error.ts";
import { createSecretBox, type SecretBox } from "#engine/kernel/secrets.ts";
import { createOAuthSigner, type OAuthSigner } from "#engine/oauth/signer.ts";
import { filesOf, readIfThere, readOrCreate } from "./data-directory.ts";
import type { ServiceConfig } from "./settings/settings.ts";

export interface Keys {
  readonly secrets: SecretBox;
  readonly verifier: TokenVerifier;
  readonly issuer: TokenIssuer | undefined;
  /** Absent where the authorization server is off. */
  readonly oauth: OAuthSigner | undefined;
}

/** This installation's keys; those that are missing are made, for this user's eyes only. */
export async function loadKeys(config: ServiceConfig): Promise<Keys> {
  const files = filesOf(config.data_dir, config.jwt_keys_dir);
  const sealing = readOrCreate(files.secret_key, () => randomBytes(32).toString("hex")).trim();
  if (!/^[0-9a-f]{64}$/.test(sealing)) throw damaged(files.secret_key);
  const secrets = createSecretBox(Buffer.from(sealing, "hex"));
  const audience = config.jwt_expected_audience;
  const oauth = config.oauth_as_enabled
    ? createOAuthSigner(await readKeyPair(config.oauth_as_key_path ?? files.oauth_key))
    : undefined;
  if (config.auth_mode === "external") {
    const key = await readPublicKey(config.jwt_public_key_path ?? "");
    return { secrets, oauth, issuer: undefined, verifier: createVerifier(key, audience) };
  }
  const { private_key, public_key } = await readKeyPair(files.session_key);
  return {
    secrets,
    oauth,
    issuer: createIssuer(private_key, config.local_session_ttl),
    verifier: createVerifier(public_key, audience),
  };
}

async function readKeyPair(file: string) {
  const text = readIfThere(file) ?? readOrCreate(file, await newKey());
  try {
    const jwk = JSON.parse(text) as JWK;
    const { d, ...open } = jwk;
    const private_key = (await importJWK(jwk, ALGORITHM)) as CryptoKey;
    return { private_key, public_key: (await importJWK(open, ALGORITHM)) as CryptoKey };
  } catch (cause) {
    throw damaged(file, cause);
  }
}

async function newKey(): Promise<() => string> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true, crv: "Ed25519" });
  const jwk = await exportJWK(privateKey);
  return () => JSON.stringify(jwk);
}

/** A file with the 32 bytes of an Ed25519 public key in hex (contract 0.7). */
async function readPublicKey(file: string): Promise<CryptoKey> {
  let hex: string;
  try {
    hex = readFileSync(file, "utf8").trim();
  } catch (cause) {
    throw new EngineError("unavailable", `jwt_public_key_path: ${file} cannot be read`, { cause });
  }
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    throw new EngineError("unavailable", `jwt_public_key_path: ${file} must hold 64 hex digits`);
  }
  const x = Buffer.from(hex, "hex").toString("base64url");
  return (await importJWK({ kty: "OKP", crv: "Ed25519", x }, ALGORITHM)) as CryptoKey;
}

const damaged = (file: string, cause?: unknown) =>
  new EngineError("unavailable", `the key file ${file} is damaged; restore it from a copy`, {
    cause,
  });
