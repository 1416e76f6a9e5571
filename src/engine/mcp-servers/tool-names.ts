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
  const own = tools.map(({ tool }) => providerName(tool));
  const isOnly = onlyIn(own);
  const names = tools.map((named, index) => {
    const name = own[index] ?? "";
    return taken.has(name) || !isOnly(name) ? qualifiedName(named) : name;
  });
  // One's own name can be what another one has become.
  const isStillOnly = onlyIn(names);
  return names.map((name, index) => {
    const { server = "", tool = "" } = tools[index] ?? {};
    return taken.has(name) || !isStillOnly(name) ? withHash(`${server}/${tool}`) : name;
  });
}

function onlyIn(names: readonly string[]): (name: string) => boolean {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (name) => counts.get(name) === 1;
}

/** The name itself where providers take it; else what they take of it, with a hash that keeps it apart. */
function providerName(name: string): string {
  const is_plain = /^[A-Za-z0-9_-]+$/.test(name) && name.length <= NAME_CHARACTERS_MAX;
  return is_plain ? name : withHash(name);
}

function withHash(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]/g, "_");
  const hash = sha256(name).slice(0, HASH_CHARACTERS);
  return `${plain.slice(0, NAME_CHARACTERS_MAX - HASH_CHARACTERS - 1)}_${hash}`;
}
