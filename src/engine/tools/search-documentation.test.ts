import { describe, expect, test } from "vitest";
import { toolContext } from "../../../test/support/tool-context.ts";
import { searchDocumentation } from "./search-documentation.ts";

const PAGE = `# Guide

Begin here.

## How do I create a token?

Tokens are made
with one command:

\`\`\`sh
# not a heading
make token
  now
\`\`\`

- first
- second, which
  is longer

## Where is my data?

In one directory.
`;

const tool = searchDocumentation(() => [{ name: "guide.md", text: PAGE }]);
const search = async (query: string) => {
  const result = await tool.execute({ query }, toolContext());
  return "content" in result ? result.content : "";
};

describe("searching the documentation", () => {
  test("finds the section that shares the rarest words, and names where it is", async () => {
    const found = await search("how can I create tokens?");
    expect(found).toMatch(/^Source: guide\.md - How do I create a token\?/);
    expect(await search("data directory")).toContain("Where is my data?");
  });

  test("joins wrapped paragraphs and leaves code and lists as they are", async () => {
    const found = await search("token");
    expect(found).toContain("Tokens are made with one command:");
    expect(found).toContain("# not a heading\nmake token\n  now\n");
    expect(found).toContain("- first\n- second, which is longer");
  });

  test("says so when nothing matches", async () => {
    expect(await search("zebra")).toBe("No section of the documentation mentions: zebra");
  });
});
