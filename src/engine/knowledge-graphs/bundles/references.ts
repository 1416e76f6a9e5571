interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The first circle of references between different types, from a type back to itself. */
export function cycleOf(edges: readonly Edge[]): string[] | undefined {
  const targets = new Map<string, string[]>();
  for (const { from, to } of edges) {
    if (from !== to) targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const visit = (type: string, path: readonly string[]): string[] | undefined => {
    const start = path.indexOf(type);
    if (start >= 0) return [...path.slice(start), type];
    if (done.has(type)) return undefined;
    for (const target of targets.get(type) ?? []) {
      const cycle = visit(target, [...path, type]);
      if (cycle) return cycle;
    }
    done.add(type);
    return undefined;
  };
  for (const type of targets.keys()) {
    const cycle = visit(type, []);
    if (cycle) return cycle;
  }
  return undefined;
}
