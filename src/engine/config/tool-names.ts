import { toolNames } from "../knowledge-graphs/tools/tool-names.ts";
import type { Reads } from "../store.ts";
import type { ConfigDocument } from "./document.ts";
import type { Change, Plan } from "./plan.ts";
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
  const { order, stuck, now } = inTurn(changed, before, namesAfter);
  const taken = order.flatMap(({ name }) => {
    const tool = namesAfter(name).find(isTool);
    return tool === undefined ? [] : [{ name, why: `the tool ${tool} ${LIKE_A_TOOL}` }];
  });
  const waiting = stuck.map(({ name }) => ({ name, why: whyStuck(name, now, after) }));
  return {
    graphs: [...order, ...stuck],
    of_tools: document.declared.flatMap(({ section, name, placeOf }) => {
      if (section !== "tools" || !(product.has(name) || exposed.has(name))) return [];
      const owner = product.has(name) ? "the product" : "a knowledge graph";
      return errorAt(placeOf([]), `tools.${name}: this is what a tool of ${owner} is called`);
    }),
    of_graphs: [...taken, ...waiting].map(({ name, why }) => {
      const own = document.declared.find(
        (each) => each.section === "knowledge_graphs" && each.name === name,
      );
      return errorAt(own?.placeOf([]), `knowledge_graphs.${name}: ${why}`);
    }),
  };
}

const LIKE_A_TOOL = "has the name of a built-in or declared tool; rename its type";

/** Each change as soon as no other graph has a name that it takes; `stuck` are those that never come. */
function inTurn(
  changes: readonly Change[],
  before: Exposed,
  namesAfter: (graph: string) => readonly string[],
) {
  const now = new Map(before);
  const order: Change[] = [];
  let stuck = changes;
  for (;;) {
    const next = stuck.find(({ name }) => !findHolder(name, namesAfter(name), now));
    if (!next) return { order, stuck, now };
    order.push(next);
    now.set(next.name, namesAfter(next.name));
    stuck = stuck.filter((change) => change !== next);
  }
}

/** Another graph that has one of these names. */
function findHolder(graph: string, names: readonly string[], exposed: Exposed) {
  for (const [holder, held] of exposed) {
    const tool = holder === graph ? undefined : held.find((name) => names.includes(name));
    if (tool !== undefined) return { holder, tool };
  }
  return undefined;
}

function whyStuck(graph: string, now: Exposed, after: Exposed): string {
  const { holder, tool } = findHolder(graph, after.get(graph) ?? [], now) ?? {};
  const others = `the tool ${tool} is one of the knowledge graph "${holder}"`;
  if (after.get(holder ?? "")?.includes(tool ?? ""))
    return `${others}, too; rename the type, or leave the tool out of expose_tools`;
  return `${others}, which gives it up only after this one, as it waits for it in turn; apply one of the two without that type first, then both as they are`;
}
