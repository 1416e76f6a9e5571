import { createHash, randomBytes, randomUUID } from "node:crypto";

export const newUuid = (): string => randomUUID();

/** An API token's value: shown once, afterwards only its hash is known (contract 2.23). */
export const newTokenValue = (): string => `bb_${randomBytes(32).toString("hex")}`;

export const isTokenValue = (text: string): boolean => /^bb_[0-9a-f]{64}$/.test(text);

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
