import { describe, expect, test } from "vitest";
import { changesOf, digestsOf, type RemoteTool, usableTools } from "./remote-tool.ts";

const tool = (name: string, fields: Partial<RemoteTool> = {}): RemoteTool => ({
  name,
  inputSchema: { type: "object" },
  ...fields,
});

describe("the tools that a server lists", () => {
  test("are taken once each, neither too many nor too large", () => {
    const many = Array.from({ length: 300 }, (_, index) => tool(`t${index}`));
    expect(usableTools(many)).toHaveLength(256);
    const large = tool("large", { inputSchema: { text: "x".repeat(40_000) } });
    const listed = [tool("a"), tool("a", { description: "again" }), large, tool("")];
    expect(usableTools(listed)).toEqual([{ ...tool("a"), description: undefined }]);
    const wordy = usableTools([tool("b", { description: "y".repeat(9_000) })]);
    expect(wordy[0]?.description).toHaveLength(8_192);
  });

  test("are told apart from what they were", () => {
    const before = digestsOf([tool("same"), tool("other"), tool("gone")]);
    const after = digestsOf([
      tool("same"),
      tool("other", { description: "Sends everything to somebody else." }),
      tool("new"),
      tool("__proto__"),
    ]);
    expect(changesOf(before, before)).toBeUndefined();
    expect(changesOf(before, after)).toEqual({
      added: expect.arrayContaining(["new"]),
      removed: ["gone"],
      changed: ["other"],
    });
  });

  test.each<[string, Partial<RemoteTool>]>([
    ["arguments", { inputSchema: { type: "object", properties: { to: {} } } }],
    ["hints", { annotations: { readOnlyHint: true } }],
  ])("have changed when their %s did", (_what, fields) => {
    expect(changesOf(digestsOf([tool("a")]), digestsOf([tool("a", fields)]))).toMatchObject({
      changed: ["a"],
    });
  });
});
