import { describe, expect, test } from "vitest";
import { mcpServerRecord } from "./records.ts";
import { filled, STORES } from "./stores.ts";

const namesOf = (records: readonly { readonly name: string }[]) => records.map(({ name }) => name);

describe.each(STORES)("MCP servers in the $name store", ({ open }) => {
  const start = async () => {
    const store = await filled(open());
    const one = mcpServerRecord("one");
    const two = mcpServerRecord("two", {
      type: "sse",
      command: undefined,
      args: [],
      url: "https://two.example",
      forward_headers: ["X-A"],
      catalog_refresh_interval_seconds: 60,
    });
    await store.write(async (tx) => {
      for (const server of [one, two]) await tx.mcp_servers.insert(server);
      await tx.mcp_servers.link(two.id, "agent-a");
      await tx.mcp_servers.link(one.id, "agent-a");
      await tx.mcp_servers.link(two.id, "agent-b");
      await tx.mcp_servers.link(two.id, "agent-b");
    });
    return { store, one, two };
  };

  test("come back as they were, oldest first, by id and by name", async () => {
    const { store, one, two } = await start();
    expect(await store.read.mcp_servers.list()).toEqual([one, two]);
    expect(await store.read.mcp_servers.get(one.id)).toEqual(one);
    expect(await store.read.mcp_servers.getByName("two")).toEqual(two);
    expect(await store.read.mcp_servers.get("nothing")).toBeUndefined();
  });

  test("have one name each, and lose what an update clears", async () => {
    const { store, two } = await start();
    const again = store.write((tx) => tx.mcp_servers.insert({ ...two, id: "other" }));
    await expect(again).rejects.toThrow();
    const changes = { url: undefined, enabled: false };
    await store.write((tx) => tx.mcp_servers.update(two.id, changes));
    const { url, ...rest } = two;
    expect(await store.read.mcp_servers.get(two.id)).toEqual({ ...rest, enabled: false });
  });

  test("are linked to agents in the order of linking, and links go with either end", async () => {
    const { store, one, two } = await start();
    const { mcp_servers } = store.read;
    expect(namesOf(await mcp_servers.listByAgent("agent-a"))).toEqual(["two", "one"]);
    expect(await mcp_servers.listAgentNames(two.id)).toEqual(["a", "b"]);
    await store.write((tx) => tx.agents.delete("agent-b"));
    expect(await mcp_servers.listAgentNames(two.id)).toEqual(["a"]);
    await store.write((tx) => tx.mcp_servers.delete(two.id));
    expect(namesOf(await mcp_servers.listByAgent("agent-a"))).toEqual(["one"]);
    await store.write((tx) => tx.mcp_servers.unlinkAgent("agent-a"));
    expect(await mcp_servers.listAgentNames(one.id)).toEqual([]);
  });
});
