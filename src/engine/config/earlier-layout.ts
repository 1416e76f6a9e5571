import { isObject } from "../kernel/json.ts";
import type { Path } from "./problem.ts";
import type { SectionKey } from "./section.ts";

type Fields = Readonly<Record<string, unknown>>;

/** An entry of another section that stands inside an agent. */
export interface NestedEntry {
  readonly section: SectionKey;
  readonly name: string;
  readonly fields: Fields;
  readonly path: Path;
}

interface FlatAgent {
  readonly fields: Fields;
  readonly moved: ReadonlyMap<string, Path>;
  readonly nested: readonly NestedEntry[];
}

/**
 * An earlier layout had an agent's tools by kind: `tools: {builtin, mcp_servers, custom}`, with servers and
 * tools of its own described on the spot (contract 4.11).
 */
export function flattenAgent(fields: Fields): FlatAgent {
  const { tools } = fields;
  if (!isObject(tools)) return { fields, moved: new Map(), nested: [] };
  const servers = namedEntries("mcp_servers", tools.mcp_servers, ["tools", "mcp_servers"]);
  const custom = namedEntries("tools", tools.custom, ["tools", "custom"]);
  const builtin = Array.isArray(tools.builtin) ? tools.builtin : [];
  const flat = {
    ...fields,
    tools: [...builtin, ...custom.map(({ name }) => name)],
    ...(servers.length > 0 ? { mcp_servers: servers.map(({ name }) => name) } : {}),
  };
  const moved = new Map<string, Path>([
    ["tools", ["tools", "builtin"]],
    ["mcp_servers", ["tools", "mcp_servers"]],
  ]);
  // A name alone refers to what is described elsewhere.
  const nested = [...servers, ...custom].filter((entry) => Object.keys(entry.fields).length > 1);
  return { fields: flat, moved, nested };
}

function namedEntries(section: SectionKey, value: unknown, path: Path): NestedEntry[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => {
      const fields = isObject(item) ? item : { name: item };
      const { name } = fields;
      return typeof name === "string" ? [{ section, name, fields, path: [...path, at] }] : [];
    });
  }
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, item]) => ({
    section,
    name,
    fields: { name, ...(isObject(item) ? item : {}) },
    path: [...path, name],
  }));
}
