import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { EngineError } from "./error.ts";

/** Keeps secrets unreadable in the database file: sealed with a key that lives outside it. */
export interface SecretBox {
  seal(text: string): string;
  /** Throws `internal` when the text was sealed with another key or was damaged. */
  open(sealed: string): string;
}

const VERSION = "v1";

/** AES-256-GCM; `key` has 32 bytes. The form is `v1:<nonce>:<tag>:<text>`, each part base64url. */
export function createSecretBox(key: Uint8Array): SecretBox {
  return {
    seal(text) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      const parts = [nonce, cipher.getAuthTag(), body].map((part) => part.toString("base64url"));
      return [VERSION, ...parts].join(":");
    },
    open(sealed) {
      const [version, nonce, tag, body] = sealed.split(":");
      if (version !== VERSION || !nonce || !tag || body === undefined) throw unreadable();
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"));
        decipher.setAuthTag(Buffer.from(tag, "base64url"));
        return Buffer.concat([
          decipher.update(Buffer.from(body, "base64url")),
          decipher.final(),
        ]).toString("utf8");
      } catch (cause) {
        throw unreadable(cause);
      }
    },
  };
}

const unreadable = (cause?: unknown) =>
  new EngineError(
    "unavailable",
    "a stored secret cannot be opened with this data directory's key",
    {
      cause,
    },
  );
