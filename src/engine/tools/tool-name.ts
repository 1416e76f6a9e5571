import { sha256 } from "../kernel/ids.ts";

/** What every provider takes as a tool's name. */
const NAME_CHARACTERS_MAX = 64;
const HASH_CHARACTERS = 8;

/** The name itself where providers take it; else what they take of it, with a hash that keeps it apart. */
export function providerName(name: string): string {
  const is_plain = /^[A-Za-z0-9_-]+$/.test(name) && name.length <= NAME_CHARACTERS_MAX;
  return is_plain ? name : withHash(name);
}

export function withHash(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_");
  const hash = sha256(name).slice(0, HASH_CHARACTERS);
  return `${plain.slice(0, NAME_CHARACTERS_MAX - HASH_CHARACTERS - 1)}_${hash}`;
}
