import fc from "fast-check";
import { expect, test } from "vitest";
import { closesCycle } from "./relation.ts";

const AGENTS = "abcdef".split("");
const edge = fc.tuple(fc.constantFrom(...AGENTS), fc.constantFrom(...AGENTS));

const toRelation = ([source_id, target_id]: [string, string]) => ({ source_id, target_id });

/** By taking away, again and again, every agent that delegates to nobody who is left. */
function hasCycle(edges: readonly [string, string][]): boolean {
  let left = [...edges];
  for (;;) {
    const sources = new Set(left.map(([source]) => source));
    const next = left.filter(([, target]) => sources.has(target));
    if (next.length === left.length) return left.length > 0;
    left = next;
  }
}

test("a relation closes a cycle exactly when there is one with it", () => {
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 20 }), (edges) => {
      const kept: [string, string][] = [];
      for (const added of edges) {
        const closes = closesCycle(kept.map(toRelation), toRelation(added));
        expect(closes).toBe(hasCycle([...kept, added]));
        if (!closes) kept.push(added);
      }
    }),
  );
});
