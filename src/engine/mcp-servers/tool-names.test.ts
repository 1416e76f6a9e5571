import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toolNames } from "./tool-names.ts";

const tool = (server: string, name: string) => ({ server, tool: name });

describe("the names of servers' tools", () => {
  test("are their own where nobody else has them", () => {
    expect(toolNames([tool("a", "read"), tool("b", "write")], new Set())).toEqual([
      "read",
      "write",
    ]);
  });

  test("are their servers', too, where another tool has the same", () => {
    const tools = [tool("a", "read"), tool("b", "read"), tool("a", "chat"), tool("a", "write")];
    expect(toolNames(tools, new Set(["chat"]))).toEqual(["a__read", "b__read", "a__chat", "write"]);
  });

  test("do not hang on the order of the servers", () => {
    const [one, two] = toolNames([tool("a", "x"), tool("b", "x")], new Set());
    expect(toolNames([tool("b", "x"), tool("a", "x")], new Set())).toEqual([two, one]);
  });

  test("stay different where one's own name is what another has become", () => {
    const tools = [tool("a", "x"), tool("b", "x"), tool("a", "b__x")];
    expect(new Set(toolNames(tools, new Set())).size).toBe(3);
  });

  test("keep tools apart that look alike to a provider", () => {
    const names = toolNames([tool("a", "read file"), tool("a", "read.file")], new Set());
    expect(new Set(names).size).toBe(2);
  });

  test("are taken by every provider and are different, whatever servers call their tools", () => {
    const tools = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b"), fc.string({ minLength: 1 })), {
      selector: (pair) => pair.join("\n"),
    });
    fc.assert(
      fc.property(tools, (pairs) => {
        const names = toolNames(
          pairs.map(([server, name]) => tool(server, name)),
          new Set(["taken"]),
        );
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });
});
