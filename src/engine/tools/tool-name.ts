import { sha256 } from "../kernel/ids.ts";

/** What every provider takes as a tool's name. */
const NAME_CHARACTERS_MAX = 64;
const HASH_CHARACTERS = 8;

/** Reachable by name for agents that list it, whatever the number of their targets (contract 4.16). */
export const SPAWN_AGENT = "spawn_agent";

/** What the call of an agent is called where there is room: its tool has a cut name if that is too long. */
export const spawnName = (agent: string): string => `spawn_${agent}`;

/** Never granted to an ordinary agent: they change the installation itself (contract 4.14). */
export const isAdministrative = (tool: string): boolean =>
  tool.startsWith("admin_") || tool === "provision_agent" || tool === "get_embed_snippet";

/** Names that tools of the product have by relations, capabilities and administration: no other tool gets one. */
export const isReserved = (name: string): boolean =>
  isAdministrative(name) || /^(spawn_|memory_recall$|memory_store$|knowledge_search$)/.test(name);

/** Names that approvals take for the same: neither another case nor another form of letters gets past. */
export const foldedName = (name: string): string => name.normalize("NFKC").toLowerCase();

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
