import { z } from "zod";
import { PreciseTimestamp, Uuid } from "../kernel/fields.ts";
import { LIMITS } from "../kernel/limits.ts";

export const TokenKey = z.object({ id: Uuid });

export const TokenCreate = z.object({
  name: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(
      LIMITS.token_name_characters,
      `must have at most ${LIMITS.token_name_characters} characters`,
    )
    .refine((name) => !name.includes(":"), "must not contain a colon: it prefixes visitor ids"),
  /** Unknown names are dropped; at least one known scope must remain (contract 4.13). */
  scopes: z.array(z.string()).optional(),
  scopes_mask: z.int().min(0).optional(),
});

/** Never the secret, which only its hash is kept of. */
export const Token = z.object({
  id: Uuid,
  name: z.string(),
  scopes: z.array(z.string()),
  scopes_mask: z.int(),
  created_at: PreciseTimestamp,
  last_used_at: PreciseTimestamp.optional(),
});

/** The one answer that shows a token's value. */
export const NewToken = Token.extend({ token: z.string() });

export interface TokenRecord {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly scopes_mask: number;
  readonly created_at: string;
  readonly last_used_at?: string | undefined;
}

export interface TokenReads {
  /** Oldest first. */
  list(): Promise<TokenRecord[]>;
  get(id: string): Promise<TokenRecord | undefined>;
  getByName(name: string): Promise<TokenRecord | undefined>;
  getByHash(hash: string): Promise<TokenRecord | undefined>;
}

export interface TokenWrites extends TokenReads {
  insert(token: TokenRecord): Promise<void>;
  delete(id: string): Promise<void>;
  touch(id: string, last_used_at: string): Promise<void>;
}
