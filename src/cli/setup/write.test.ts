import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CODING_AGENTS } from "#server/setup/coding-agents.ts";
import { withServer, write } from "./write.ts";

const agentOf = (id: string) => {
  const agent = CODING_AGENTS.find((each) => each.id === id);
  if (!agent) throw new Error(id);
  return agent;
};
const CONNECTION = { url: "https://x.example/api/v1/mcp/rpc", token: "bb_1" };

function fileWith(text?: string): string {
  const file = join(mkdtempSync(join(tmpdir(), "troupe-setup-")), "config");
  if (text !== undefined) writeFileSync(file, text);
  return file;
}

test("a file that is not there is made, for this user alone", () => {
  const file = fileWith();
  write(file, withServer(file, agentOf("cursor"))(CONNECTION));
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({
    mcpServers: {
      troupe: { url: CONNECTION.url, headers: { Authorization: "Bearer bb_1" } },
    },
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("what else is in a JSON file stays, and an older entry is replaced", () => {
  const before = { theme: "dark", mcpServers: { other: { url: "y" }, troupe: { url: "old" } } };
  const file = fileWith(JSON.stringify(before));
  const text = withServer(file, agentOf("gemini"))({ ...CONNECTION, token: undefined });
  expect(JSON.parse(text)).toEqual({
    theme: "dark",
    mcpServers: { other: { url: "y" }, troupe: { httpUrl: CONNECTION.url } },
  });
});

test("a table is added to a TOML file, comments and all", () => {
  const file = fileWith('# mine\nmodel = "x"\n');
  expect(withServer(file, agentOf("codex"))(CONNECTION)).toBe(
    `# mine\nmodel = "x"\n\n[mcp_servers.troupe]\nurl = "${CONNECTION.url}"\nhttp_headers = { Authorization = "Bearer bb_1" }\n`,
  );
});

test.each([
  ["cursor", "{ // a comment\n }"],
  ["cursor", "[]"],
  ["cursor", '{"mcpServers": []}'],
  ["codex", '[mcp_servers.troupe]\nurl = "x"\n'],
  ["codex", '[ mcp_servers . "troupe" ]\n'],
])("a file that can't be changed safely is left as it is: %s %j", (id, text) => {
  const file = fileWith(text);
  expect(() => withServer(file, agentOf(id))).toThrow("is left as it is");
  expect(readFileSync(file, "utf8")).toBe(text);
});
