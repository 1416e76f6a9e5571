import {
  builtInNames,
  knownNames,
  namesBeyond,
  serverNames,
  spawnNames,
} from "../agents/unknown-tools.ts";
import type { Context } from "../context.ts";
import { eachInTurn } from "../kernel/give-way.ts";
import { toolName, toolNames } from "../knowledge-graphs/tools/tool-names.ts";
import type { Reads } from "../store.ts";
import type { ConfigDocument } from "./document.ts";
import { type Problem, warningAt } from "./problem.ts";
import type { Item, State } from "./section.ts";
import { unknownName } from "./unknown-name.ts";

/** Tools that a document's agents name and that nobody will offer. Takes either face of the store. */
export async function warnOfUnknownTools(
  { declared }: ConfigDocument,
  next: State,
  { tools }: Pick<Context["services"], "tools">,
  read: Pick<Reads, "graph_schemas" | "mcp_servers">,
): Promise<Problem[]> {
  const exposed = (await read.graph_schemas.listExposed()).flatMap(toolNames);
  const known = knownNames([...builtInNames({ tools }), ...namesIn(next), ...exposed]);
  const listable = [...tools.keys(), ...next.tools.keys()].map((name) => ({ name }));
  const warnings = await eachInTurn(declared, async ({ section, name, placeOf }) => {
    const item = section === "agents" ? next.agents.get(name) : undefined;
    if (!item || namesBeyond([known], listsOf(item)).length === 0) return [];
    const ofServers = await namesOfServers(item, read);
    if (!ofServers) return [];
    const unknown = namesBeyond([known, knownNames(ofServers)], listsOf(item));
    return unknown.map(({ field, at, name: tool }) =>
      warningAt(
        placeOf([field, at]),
        `agents.${name}: ${unknownName(field, "tool", tool, listable)}`,
      ),
    );
  });
  return warnings.flat();
}

const listsOf = ({ entry }: Item) => ({
  tools: (entry.tools ?? []) as string[],
  confirm_before: (entry.confirm_before ?? []) as string[],
});

const KINDS = ["list", "get", "list_ids"] as const;

function namesIn({ tools, agents, knowledge_graphs }: State): string[] {
  const types = [...knowledge_graphs.values()].flatMap(({ entry }) =>
    Object.keys((entry.schemas ?? {}) as object),
  );
  return [
    ...tools.keys(),
    ...[...agents.keys()].flatMap(spawnNames),
    ...types.flatMap((type) => KINDS.map((kind) => toolName(kind, type))),
  ];
}

/** Undefined where nobody can know: a server that is only about to be made has listed nothing. */
async function namesOfServers(
  { entry }: Item,
  { mcp_servers }: Pick<Reads, "mcp_servers">,
): Promise<string[] | undefined> {
  const names = (entry.mcp_servers ?? []) as string[];
  const servers = await Promise.all(names.map((name) => mcp_servers.getByName(name)));
  return serverNames(servers.map((server, at) => server ?? { name: names[at] ?? "" }));
}
