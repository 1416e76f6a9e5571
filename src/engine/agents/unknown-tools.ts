import type { Context } from "../context.ts";
import { toolNames } from "../knowledge-graphs/tools/tool-names.ts";
import type { McpServerRecord } from "../mcp-servers/server.ts";
import { qualifiedName } from "../mcp-servers/tool-names.ts";
import type { Reads } from "../store.ts";
import { KNOWLEDGE_SEARCH } from "../tools/knowledge-search.ts";
import { foldedName, providerName, SPAWN_AGENT, spawnName } from "../tools/tool-name.ts";

/** A name in one of an agent's lists that no tool has: turns go on without it. */
export interface UnknownTool {
  readonly field: "tools" | "confirm_before";
  /** Its place in the list. */
  readonly at: number;
  readonly name: string;
}

export interface ToolLists {
  readonly tools: readonly string[];
  readonly confirm_before: readonly string[];
}

interface Place {
  readonly services: Pick<Context["services"], "tools">;
  readonly read: Pick<Reads, "http_tools" | "agents" | "graph_schemas">;
}

/**
 * What an agent's lists name and nobody offers, to any agent. Of an agent with an MCP server whose tools
 * were never listed, nothing is said: they may be the server's.
 */
export async function unknownTools(
  { services, read }: Place,
  lists: ToolLists,
  serversOf: () => Promise<readonly McpServerRecord[]>,
): Promise<UnknownTool[]> {
  const own = knownNames(builtInNames(services));
  // Most agents name nothing else, and nothing has to be read.
  if (namesBeyond([own], lists).length === 0) return [];
  const ofServers = serverNames(await serversOf());
  if (!ofServers) return [];
  const [declared, exposed] = await Promise.all([
    read.http_tools.list(),
    read.graph_schemas.listExposed(),
  ]);
  const names = [...declared.map(({ name }) => name), ...exposed.flatMap(toolNames), ...ofServers];
  const known = [own, knownNames(names)];
  const unknown = namesBeyond(known, lists);
  // Reading every agent for each of a thousand would take seconds.
  if (!unknown.some(({ name }) => foldedName(name).startsWith(spawnName("")))) return unknown;
  const agents = await read.agents.list();
  return namesBeyond([...known, knownNames(agents.flatMap(({ name }) => spawnNames(name)))], lists);
}

/** Names, as each list of an agent is looked up in them: `confirm_before` in any case, as approvals are. */
export type KnownNames = Readonly<Record<UnknownTool["field"], (name: string) => boolean>>;

export function knownNames(given: Iterable<string>): KnownNames {
  const names = new Set(given);
  const folded = new Set([...names].map(foldedName));
  return {
    tools: (name) => names.has(name),
    confirm_before: (name) => folded.has(foldedName(name)),
  };
}

/** What the lists name and none of these do. */
export function namesBeyond(known: readonly KnownNames[], lists: ToolLists): UnknownTool[] {
  return (["tools", "confirm_before"] as const).flatMap((field) =>
    lists[field]
      .map((name, at) => ({ field, at, name }))
      .filter(({ name }) => !known.some((names) => names[field](name))),
  );
}

export const builtInNames = ({ tools }: Place["services"]): string[] => [
  ...tools.keys(),
  KNOWLEDGE_SEARCH.name,
  SPAWN_AGENT,
];

export const spawnNames = (agent: string): string[] => [
  spawnName(agent),
  providerName(spawnName(agent)),
];

type ToolServer = Pick<McpServerRecord, "name" | "tool_digests">;

/** Every name by which their tools go; undefined when one of them has never listed its own. */
export function serverNames(servers: readonly ToolServer[]): string[] | undefined {
  if (servers.some(({ tool_digests }) => tool_digests === undefined)) return undefined;
  return servers.flatMap(({ name: server, tool_digests = {} }) =>
    Object.keys(tool_digests).flatMap((tool) => [
      tool,
      providerName(tool),
      qualifiedName({ server, tool }),
      `${server}/${tool}`,
    ]),
  );
}
