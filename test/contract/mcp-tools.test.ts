import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startChatApp } from "../support/chat.ts";
import { addServer, programOf, publishedServer } from "../support/mcp-servers.ts";
import { ask } from "../support/turns.ts";

const folder = () => mkdtempSync(join(tmpdir(), "troupe-mcp-"));
const call = (tool: string, input: object = {}, id = "c1") => ({ calls: [{ id, tool, input }] });

describe("an agent with published MCP servers", () => {
  test("reads a file through the filesystem server", async () => {
    const files = folder();
    writeFileSync(join(files, "note.txt"), "The parcel is in Turku.");
    const app = await startChatApp([
      call("read_text_file", { path: join(files, "note.txt") }),
      { text: "In Turku." },
    ]);
    const server = await addServer(
      app.admin,
      programOf("folder", publishedServer("filesystem"), files),
    );
    expect(server.status).toMatchObject({ status: "connected" });
    expect(server.status.tools_count).toBeGreaterThan(5);
    await app.admin.patch("/agents/helper", { mcp_servers: ["folder"] });
    const answer = await ask(app.admin, { message: "Where is it?" });
    expect(answer.one("tool_result")).toMatchObject({ has_error: false });
    expect(answer.one("tool_result").content).toContain("Turku");
    const offered = app.model.calls[0]?.tools?.map(({ name }) => name);
    expect(offered).toContain("read_text_file");
  });

  test("uses tools of several of them in one turn, and a refusal is an error it reads", async () => {
    const app = await startChatApp([
      {
        calls: [
          {
            id: "c1",
            tool: "create_entities",
            input: { entities: [{ name: "Ann", entityType: "person", observations: ["tea"] }] },
          },
          { id: "c2", tool: "echo", input: { message: "hello" } },
          { id: "c3", tool: "read_text_file", input: { path: "/etc/passwd" } },
        ],
      },
      call("search_nodes", { query: "Ann" }, "c4"),
      { text: "Done." },
    ]);
    const files = folder();
    await addServer(app.admin, programOf("folder", publishedServer("filesystem"), files));
    await addServer(app.admin, programOf("all", publishedServer("everything")));
    await addServer(app.admin, {
      ...programOf("graph", publishedServer("memory")),
      env_vars: { MEMORY_FILE_PATH: join(files, "graph.json") },
    });
    await app.admin.patch("/agents/helper", { mcp_servers: ["folder", "all", "graph"] });
    const { frames } = await ask(app.admin, { message: "Go." });
    const results = frames.filter(({ event }) => event === "tool_result").map(({ data }) => data);
    expect(results.map(({ has_error }) => has_error)).toEqual([false, false, true, false]);
    expect(results[1]?.content).toContain("hello");
    expect(results[2]?.content).toContain("[ERROR]");
    expect(results[3]?.content).toContain("tea");
  });
});
