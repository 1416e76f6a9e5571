import { sha256 } from "../kernel/ids.ts";

/** What every provider takes as a tool's name. */
const NAME_CHARACTERS_MAX = 64;
const HASH_CHARACTERS = 8;

export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/** A tool's name that no other has, whoever else offers one of the same name. */
export const qualifiedName = ({ server, tool }: NamedTool): string =>
  providerName(`${server}__${tool}`);

/**
 * What the tools of some servers are called, in the order given: by their own names, as their authors and
 * the agents' prompts know them, unless another tool has that name. Then each is called by its server, too,
 * so that which one is meant does not hang on an order.
 */
export function toolNames(tools: readonly NamedTool[], taken: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>();
  for (const { tool } of tools) {
    const name = providerName(tool);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return tools.map((named) => {
    const name = providerName(named.tool);
    return taken.has(name) || counts.get(name) !== 1 ? qualifiedName(named) : name;
  });
}

/** The name itself where providers take it; else what they take of it, with a hash that keeps it apart. */
function providerName(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_");
  if (plain === name && name.length <= NAME_CHARACTERS_MAX) return name;
  const hash = sha256(name).slice(0, HASH_CHARACTERS);
  return `${plain.slice(0, NAME_CHARACTERS_MAX - HASH_CHARACTERS - 1)}_${hash}`;
}
