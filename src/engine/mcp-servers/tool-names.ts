import { providerName, withHash } from "../tools/tool-name.ts";

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
