import { toolNames } from "../knowledge-graphs/tools/tool-names.ts";
import type { Reads } from "../store.ts";
import type { ConfigDocument } from "./document.ts";
import { type Change, keyOf, type Plan } from "./plan.ts";
import { errorAt, type Problem } from "./problem.ts";
import { exposedTypes } from "./sections/knowledge-graphs.ts";

/** Names of the tools that each knowledge graph gives, by the graph's name. */
type Exposed = ReadonlyMap<string, readonly string[]>;

/** What an agent could not tell apart: tools of the product, declared ones, and those of knowledge graphs. */
export interface ToolNames {
  /** Changes of graphs, each behind those that give up the names which it takes. */
  readonly graphs: readonly Change[];
  /** Declared tools whose names will be taken. */
  readonly of_tools: readonly Problem[];
  /** Graphs whose tools' names will be taken; applied by itself, each is refused then. */
  readonly of_graphs: readonly Problem[];
}

/** Looks at what there will be, and in between: graphs are changed one by one. Takes either face of the store. */
export async function compareToolNames(
  document: ConfigDocument,
  { changes, next }: Plan,
  product: { has(name: string): boolean },
  { graph_schemas }: Pick<Reads, "graph_schemas">,
): Promise<ToolNames> {
  const before = new Map<string, string[]>();
  for (const type of await graph_schemas.listExposed()) {
    before.set(type.bundle_name, [...(before.get(type.bundle_name) ?? []), ...toolNames(type)]);
  }
  const namesAfter = (graph: string): string[] => {
    const item = next.knowledge_graphs.get(graph);
    return item ? exposedTypes(item).flatMap(toolNames) : [];
  };
  const changed = changes.filter(({ section }) => section === "knowledge_graphs");
  const after = new Map([
    ...before,
    ...changed.map(({ name }) => [name, namesAfter(name)] as const),
  ]);
  const exposed = new Set([...after.values()].flat());
  const isTool = (name: string) => product.has(name) || next.tools.has(name);
  const { order, stuck } = inTurn(changed, before, after);
  const taken = order.flatMap(({ name }) => {
    const tool = after.get(name)?.find(isTool);
    return tool === undefined ? [] : [{ name, why: `the tool ${tool} ${LIKE_A_TOOL}` }];
  });
  const waiting = stuck.map((each) => ({ name: each.name, why: whyStuck(each, after) }));
  const declared = new Map(document.declared.map((each) => [keyOf(each), each]));
  return {
    graphs: [...order, ...stuck],
    of_tools: document.declared.flatMap(({ section, name, placeOf }) => {
      if (section !== "tools" || !(product.has(name) || exposed.has(name))) return [];
      const owner = product.has(name) ? "the product" : "a knowledge graph";
      return errorAt(placeOf([]), `tools.${name}: this is what a tool of ${owner} is called`);
    }),
    of_graphs: [...taken, ...waiting].map(({ name, why }) => {
      const own = declared.get(keyOf({ section: "knowledge_graphs", name }));
      return errorAt(own?.placeOf([]), `knowledge_graphs.${name}: ${why}`);
    }),
  };
}

const LIKE_A_TOOL = "has the name of a built-in or declared tool; rename its type";

/** Each change as soon as no other graph has a name that it takes; `stuck` are those that never come. */
function inTurn(changes: readonly Change[], before: Exposed, after: Exposed) {
  const holders = createHolders(before);
  const order: Change[] = [];
  for (let left = changes; ; ) {
    const stuck: (Change & Taken)[] = [];
    for (const change of left) {
      const names = after.get(change.name) ?? [];
      const taken = holders.findTaken(change.name, names);
      if (taken) {
        stuck.push({ ...change, ...taken });
      } else {
        order.push(change);
        holders.change(change.name, names);
      }
    }
    if (stuck.length === left.length) return { order, stuck };
    left = stuck;
  }
}

/** A tool whose name a change takes, and another graph that has it. */
interface Taken {
  readonly holder: string;
  readonly tool: string;
}

/** Which graphs give a tool, by its name: an apply may have thousands of graphs. */
function createHolders(before: Exposed) {
  const holders = new Map<string, Set<string>>();
  const hold = (graph: string, tools: readonly string[]): void => {
    for (const tool of tools) holders.set(tool, (holders.get(tool) ?? new Set()).add(graph));
  };
  for (const [graph, tools] of before) hold(graph, tools);
  return {
    findTaken(graph: string, tools: readonly string[]): Taken | undefined {
      for (const tool of tools) {
        const holder = [...(holders.get(tool) ?? [])].find((each) => each !== graph);
        if (holder !== undefined) return { holder, tool };
      }
      return undefined;
    },
    change(graph: string, tools: readonly string[]): void {
      for (const tool of before.get(graph) ?? []) holders.get(tool)?.delete(graph);
      hold(graph, tools);
    },
  };
}

function whyStuck({ holder, tool }: Taken, after: Exposed): string {
  const others = `the tool ${tool} is one of the knowledge graph "${holder}"`;
  if (after.get(holder)?.includes(tool))
    return `${others}, too; rename the type, or leave the tool out of expose_tools`;
  return `${others}, which gives it up only after this one, as it waits for it in turn; apply one of the two without that type first, then both as they are`;
}
