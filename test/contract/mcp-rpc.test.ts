import { describe, expect, test } from "vitest";
import { MCP_TOOLS } from "#server/mcp/tools.ts";
import { startTestApp } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { connectMcp, message, textOf, toolCall } from "../support/mcp.ts";

const RPC = "/mcp/rpc";

/** Specification 4 MCP servers and contract 4.14, written down a second time. */
const MANAGED = [
  "admin_delete_agent",
  "admin_delete_agent_relation",
  "admin_delete_document",
  "admin_delete_knowledge_graph",
  "admin_delete_mcp_server",
  "admin_delete_model",
  "admin_delete_schema",
  "admin_remove_capability",
];

describe("a message to /mcp/rpc", () => {
  test.each([
    ["no JSON", "{", 400, -32700],
    ["a batch", JSON.stringify([message("ping")]), 400, -32600],
    ["a text", '"ping"', 400, -32600],
    ["another version of JSON-RPC", { ...message("ping"), jsonrpc: "1.0" }, 400, -32600],
    ["no method", { jsonrpc: "2.0", id: 1 }, 400, -32600],
    ["an unknown method", message("tools/destroy"), 200, -32601],
    ["a call without a name", message("tools/call", {}), 200, -32602],
    [
      "arguments that are a list",
      message("tools/call", { name: "x", arguments: [1] }),
      200,
      -32602,
    ],
    ["more than 1 MiB", message("ping", { pad: "x".repeat(1_048_576) }), 400, -32600],
  ])("is refused by number: %s", async (_what, body, status, code) => {
    const app = await startTestApp();
    const answer = await (await app.as(["provision"])).post(RPC, body);
    expect(answer).toMatchObject({ status, body: { jsonrpc: "2.0", error: { code } } });
    if (status === 400 && typeof body === "string") expect(answer.body.id).toBeNull();
  });

  test("answers a plain script: no Accept, no Content-Type, no handshake", async () => {
    const app = await startTestApp();
    const script = await app.as(["provision"]);
    expect((await script.post(RPC, message("ping", undefined, "a"))).body).toEqual({
      jsonrpc: "2.0",
      id: "a",
      result: {},
    });
    const { body, headers } = await script.post(RPC, message("initialize"));
    expect(body.result).toMatchObject({
      protocolVersion: "2025-03-26",
      capabilities: { tools: {} },
      serverInfo: { name: "troupe" },
    });
    expect(headers.get("Mcp-Session-Id")).toBeNull();
  });

  test("initialize answers in the revision that the client speaks", async () => {
    const app = await startTestApp();
    const script = await app.as(["provision"]);
    for (const protocolVersion of ["2024-11-05", "2025-06-18", "2025-11-25"]) {
      const { body } = await script.post(RPC, message("initialize", { protocolVersion }));
      expect(body.result.protocolVersion).toBe(protocolVersion);
    }
  });

  test.each(["notifications/initialized", "initialized", "notifications/cancelled"])(
    "that is a notification is taken without an answer: %s",
    async (method) => {
      const app = await startTestApp();
      const answer = await (await app.as(["provision"])).post(
        RPC,
        message(method, undefined, null),
      );
      expect(answer).toMatchObject({ status: 202, text: "" });
    },
  );

  test.each(["GET", "DELETE", "PUT"])(
    "comes by POST, not by %s: there is no session",
    async (method) => {
      const app = await startTestApp();
      const answer = await app.fetch(RPC, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("Allow")).toBe("POST");
    },
  );
});

describe("whoever calls /mcp/rpc", () => {
  test("needs a token", async () => {
    const app = await startTestApp();
    const answer = await (await app.as("nobody")).post(RPC, message("ping"));
    expect(answer).toMatchObject({ status: 401, body: { error: "unauthorized" } });
  });

  test("is no end user", async () => {
    const app = await startTestApp();
    expect((await (await app.asUser("ann")).post(RPC, message("ping"))).status).toBe(403);
  });

  test.each([["chat"], ["agents:write"], ["api"]])(
    "may not list or call tools with %s alone",
    async (scope) => {
      const app = await startTestApp();
      const caller = await app.as([scope]);
      for (const body of [message("tools/list"), toolCall("admin_list_agents")]) {
        const answer = await caller.post(RPC, body);
        expect(answer).toMatchObject({ status: 200, body: { error: { code: -32002 } } });
        expect(answer.body.error.message).toContain("provision");
      }
    },
  );

  test("sees the tools that its authority reaches", async () => {
    const app = await startTestApp();
    const namesFor = async (who: "admin" | readonly string[]) =>
      (await (await app.as(who)).post(RPC, message("tools/list"))).body.result.tools.map(
        ({ name }: { name: string }) => name,
      );
    const all = MCP_TOOLS.map(({ name }) => name);
    expect(await namesFor(["manage"])).toEqual(all);
    expect(await namesFor("admin")).toEqual(all);
    expect(await namesFor(["provision"])).toEqual(all.filter((name) => !MANAGED.includes(name)));
  });

  test.each(MANAGED)("can't call %s with provision, and nothing changes", async (name) => {
    const app = await startTestApp();
    const answer = await (await app.as(["provision"])).post(RPC, toolCall(name));
    expect(answer).toMatchObject({ status: 200, body: { error: { code: -32002 } } });
    expect(answer.body.error.message).toContain("manage");
  });

  test("is no web page of another origin or under another name", async () => {
    const app = await startTestApp({
      public_url: "https://agents.example.com",
      cors_origins: ["https://studio.example.com"],
    });
    const token = await app.token("provision");
    const from = async (host: string, origin?: string) => {
      const { status } = await app.fetch(RPC, {
        method: "POST",
        headers: {
          Authorization: `Bearer ${token}`,
          Host: host,
          ...(origin === undefined ? {} : { Origin: origin }),
        },
        body: JSON.stringify(message("ping")),
      });
      return status;
    };
    expect(await from("rebound.example.net")).toBe(403);
    expect(await from("127.0.0.1:8443", "https://evil.example")).toBe(403);
    expect(await from("127.0.0.1:8443", "null")).toBe(403);
    expect(await from("127.0.0.1:8443.evil.example")).toBe(403);
    expect(await from("agents.example.com")).toBe(200);
    expect(await from("192.168.1.5:8443")).toBe(200);
    expect(await from("localhost:8443", "http://localhost:8443")).toBe(200);
    expect(await from("agents.example.com", "https://agents.example.com")).toBe(200);
    expect(await from("agents.example.com", "https://studio.example.com")).toBe(200);
  });
});

describe("the protocol's own client", () => {
  test("sets up an agent from nothing, and it answers", async () => {
    const app = await startChatApp([{ text: "We are open from nine." }]);
    const client = await connectMcp(app, await app.token("provision"));
    expect(client.getServerVersion()?.name).toBe("troupe");
    expect(client.getInstructions()).toContain("provision_agent");

    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const result = await client.callTool({ name, arguments: args });
      expect([name, result.isError, result.content]).toEqual([name, undefined, result.content]);
      return result.structuredContent as Record<string, string>;
    };
    const made = await call("provision_agent", {
      name: "shop",
      system_prompt: "You help in a shop.",
      tools: ["memory_recall"],
    });
    expect(made).toMatchObject({ schema_name: "shop", agent_name: "shop" });
    const base = await call("admin_create_knowledge_base", { name: "manual" });
    expect(base).toMatchObject({ name: "manual", knowledge_base_id: expect.any(String) });
    const document = await call("admin_add_document", {
      kb_name: "manual",
      file_name: "hours",
      content: "# Hours\n\nOpen from nine.",
      file_type: "md",
    });
    expect(document).toMatchObject({ file_name: "hours.md", status: "indexing" });
    await call("admin_link_knowledge_base", { kb_name: "manual", agent_name: "shop" });
    await call("admin_add_capability", {
      agent_name: "shop",
      capability_type: "knowledge",
      config_json: '{"top_k": 3}',
    });
    const listed = await call("admin_list_documents", { kb_name: "manual" });
    expect(listed.documents).toMatchObject([{ document_id: document.document_id }]);

    const { snippet, token_name } = await call("get_embed_snippet", { schema_name: "shop" });
    expect(token_name).toBe("widget-shop");
    expect(snippet).toContain('<script src="http://127.0.0.1/widget.js" data-schema="shop"');
    const chat_token = /data-api-key="(bb_[0-9a-f]{64})"/.exec(snippet ?? "")?.[1] ?? "";
    const question = { message: "When are you open?", stream: false };
    const { body } = await app.bearer(chat_token).post("/schemas/shop/chat", question);
    expect(body.message).toBe("We are open from nine.");
    expect((await app.bearer(chat_token).get("/agents")).status).toBe(403);
  });

  test("reads, changes and deletes what there is, by name or id", async () => {
    const app = await startChatApp();
    const client = await connectMcp(app, await app.token("manage"));
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const { structuredContent, content, isError } = await client.callTool({
        name,
        arguments: args,
      });
      // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
      const [{ text }] = content as any;
      expect([name, isError, text]).toEqual([name, undefined, text]);
      // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
      return { structured: structuredContent as any, text: text as string };
    };
    await call("admin_create_agent", {
      name: "clerk",
      system_prompt: "File things.",
      builtin_tools: ["memory_store"],
    });
    await call("admin_update_agent", { name: "clerk", max_steps: 7 });
    await call("admin_add_builtin_tool_to_agent", {
      agent_name: "clerk",
      tool_name: "memory_recall",
    });
    await call("admin_remove_builtin_tool_from_agent", {
      agent_name: "clerk",
      tool_name: "memory_store",
    });
    const agent = await call("admin_get_agent", { name: "clerk" });
    expect(agent.structured).toMatchObject({ max_steps: 7, tools: ["memory_recall"] });
    expect(JSON.parse(agent.text)).toEqual(agent.structured);
    expect((await call("admin_list_agents")).text).toContain("- clerk (");

    const schema = (await call("admin_create_schema", { name: "office" })).structured;
    await call("admin_update_schema", {
      schema_id: schema.id,
      entry_agent_id: "helper",
      chat_enabled: true,
    });
    const relation = await call("admin_create_agent_relation", {
      schema_id: "office",
      from_agent: "helper",
      to_agent: "clerk",
      label: "files",
    });
    expect((await call("admin_list_agent_relations", { schema_id: schema.id })).structured).toEqual(
      {
        relations: [relation.structured],
      },
    );
    expect((await call("admin_get_schema", { schema_id: "office" })).structured).toMatchObject({
      agents: ["helper", "clerk"],
      chat_enabled: true,
    });
    await call("admin_delete_agent_relation", { relation_id: relation.structured.id });

    const capability = await call("admin_add_capability", {
      agent_name: "clerk",
      capability_type: "memory",
    });
    const capability_id = capability.structured.id;
    await call("admin_update_capability", { capability_id, enabled: false });
    expect((await app.admin.get("/agents/clerk/capabilities")).body).toMatchObject([
      { enabled: false },
    ]);
    await call("admin_remove_capability", { capability_id });

    await call("admin_create_model", { name: "second", type: "demo", model_name: "demo" });
    expect((await call("admin_set_default_model", { name: "second" })).structured).toMatchObject({
      is_default: true,
    });
    await call("admin_update_model", { model_id: "second", name: "third" });
    expect((await call("admin_list_models")).text).toContain("third");
    await call("admin_set_default_model", { name: "scripted" });
    await call("admin_delete_model", { model_id: "third" });

    await call("admin_delete_schema", { schema_id: schema.id });
    await call("admin_delete_agent", { name: "clerk" });
    expect((await call("admin_list_sessions")).text).toBe("No sessions yet.");
    expect((await app.admin.get("/agents/clerk")).status).toBe(404);
  });
});

const GRAPH = {
  bundle_name: "catalogue",
  schemas: [
    {
      entity_type: "product",
      schema: {
        type: "object",
        "x-id-field": "sku",
        properties: { sku: { type: "string" } },
      },
    },
  ],
  entities: [{ entity_type: "product", items: [{ sku: "a" }, { sku: "b" }] }],
};

describe("a knowledge graph", () => {
  test("is imported and read with provision, and replaced with manage and on purpose", async () => {
    const app = await startTestApp();
    const provision = await app.as(["provision"]);
    const manage = await app.as(["manage"]);
    const call = (caller: typeof manage, name: string, args: object) =>
      caller.post(RPC, toolCall(name, args));
    const load = (caller: typeof manage, more: object = {}) =>
      call(caller, "admin_import_knowledge_graph", { ...GRAPH, ...more });

    expect((await load(provision)).body.result.structuredContent).toMatchObject({ applied: true });
    const half = [{ entity_type: "product", items: [{ sku: "a" }] }];
    for (const caller of [provision, manage]) {
      expect(textOf(await load(caller, { entities: half }))).toContain("replace_existing");
    }
    const refused = await load(provision, { entities: half, replace_existing: true });
    expect(refused.body.error).toMatchObject({ code: -32002 });
    const read = async () =>
      (await call(provision, "admin_export_knowledge_graph", { bundle_name: "catalogue" })).body
        .result.structuredContent;
    expect((await read()).entities[0].items).toHaveLength(2);

    const replaced = await load(manage, { entities: half, replace_existing: true });
    expect(replaced.body.result.isError).toBeUndefined();
    expect((await read()).entities[0].items).toEqual([{ sku: "a" }]);
    expect(textOf(await call(provision, "admin_list_knowledge_graphs", {}))).toBe(
      "- catalogue 1.0.0: 1 product",
    );
    await call(manage, "admin_delete_knowledge_graph", { bundle_name: "catalogue" });
    expect(
      textOf(await call(provision, "admin_get_knowledge_graph", { bundle_name: "catalogue" })),
    ).toContain("not found");
  });
});

describe("an MCP server", () => {
  test("is set up, switched, and given to an agent", async () => {
    const app = await startChatApp();
    const client = await connectMcp(app, await app.token("manage"));
    const call = async (name: string, args: Record<string, unknown> = {}) => {
      const { structuredContent, isError, content } = await client.callTool({
        name,
        arguments: args,
      });
      expect([name, isError, content]).toEqual([name, undefined, content]);
      // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came back
      return structuredContent as any;
    };
    const made = await call("admin_create_mcp_server", {
      name: "search",
      type: "http",
      url: "https://search.example.com/mcp",
      env_vars: { KEY: "a secret" },
      enabled: false,
    });
    expect(JSON.stringify(made)).not.toContain("a secret");
    const link = { agent_name: "helper", server_name: "search" };
    for (const _twice of [1, 2]) {
      expect(await call("admin_attach_mcp_server_to_agent", link)).toEqual({
        agent_name: "helper",
        mcp_servers: ["search"],
      });
    }
    await call("admin_set_mcp_server_enabled", { server_name: "search", enabled: true });
    await call("admin_update_mcp_server", { server_id: made.id, name: "finder" });
    expect((await call("admin_list_mcp_servers")).mcp_servers).toMatchObject([
      { name: "finder", enabled: true, agents: ["helper"] },
    ]);
    const gone = await call("admin_detach_mcp_server_from_agent", {
      ...link,
      server_name: made.id,
    });
    expect(gone.mcp_servers).toEqual([]);
    await call("admin_delete_mcp_server", { server_id: "finder" });
    expect((await app.admin.get("/mcp-servers")).body).toEqual([]);
  });
});

describe("a private address", () => {
  const SERVER = { name: "inner", type: "http", url: "http://10.0.0.5/mcp" };
  const MODEL = {
    name: "inner",
    type: "openai_compatible",
    model_name: "m",
    base_url: "http://127.0.0.1:9/v1",
  };

  test.each([
    ["admin_create_mcp_server", SERVER],
    ["admin_create_model", MODEL],
    ["admin_create_mcp_server", { name: "program", type: "stdio", command: "sh" }],
  ])("or a program is not for provision alone, which learns so: %s %j", async (name, args) => {
    const app = await startTestApp();
    const answer = await (await app.as(["provision"])).post(RPC, toolCall(name, args));
    expect(textOf(answer)).toMatch(/^\[ERROR\] (url|base_url|type): .*admin/);
  });

  test.each([
    ["admin_create_mcp_server", SERVER],
    ["admin_create_model", MODEL],
  ])("is for manage: %s", async (name, args) => {
    const app = await startTestApp();
    const answer = await (await app.as(["manage"])).post(RPC, toolCall(name, args));
    expect(answer.body.result.isError).toBeUndefined();
  });
});

describe("a tool that fails", () => {
  test.each([
    ["an unknown tool", "admin_explode", {}, "there is no tool"],
    ["a missing field", "admin_create_agent", { system_prompt: "x" }, "name: is required"],
    ["a bad value", "provision_agent", { name: "Bad Name", system_prompt: "x" }, "name: "],
    ["an unknown agent", "admin_get_agent", { name: "nobody" }, "agent not found: nobody"],
    ["a taken name", "provision_agent", { name: "helper", system_prompt: "x" }, "already exists"],
    [
      "an id of nothing",
      "admin_get_schema",
      { schema_id: `${"4".repeat(8)}-4444-4444-8444-444444444444` },
      "schema_id: there is no schema",
    ],
    [
      "JSON that is none",
      "admin_add_capability",
      { agent_name: "helper", capability_type: "memory", config_json: "{" },
      "config_json: is not valid JSON",
    ],
    [
      "an administrative tool",
      "admin_add_builtin_tool_to_agent",
      { agent_name: "helper", tool_name: "provision_agent" },
      "cannot be granted",
    ],
    [
      "an unknown built-in tool",
      "admin_add_builtin_tool_to_agent",
      { agent_name: "helper", tool_name: "x" },
      "there is no built-in tool",
    ],
    ["a schema without chat", "get_embed_snippet", { schema_name: "nothing" }, "schema not found"],
  ])("says so in its result: %s", async (_what, name, args, text) => {
    const app = await startChatApp();
    const answer = await (await app.as(["provision"])).post(RPC, toolCall(name, args));
    expect(answer).toMatchObject({ status: 200, body: { result: { isError: true } } });
    expect(textOf(answer)).toMatch(/^\[ERROR\] /);
    expect(textOf(answer)).toContain(text);
  });

  test("leaves nothing half made", async () => {
    const app = await startChatApp();
    const caller = await app.as(["provision"]);
    const answer = await caller.post(
      RPC,
      toolCall("provision_agent", { name: "new", system_prompt: "x", schema_name: "support" }),
    );
    expect(textOf(answer)).toContain('schema "support" already exists');
    expect((await app.admin.get("/agents/new")).status).toBe(404);
  });

  test("does not tell what went wrong inside", async () => {
    const app = await startChatApp();
    const caller = await app.as(["provision"]);
    await caller.post(RPC, message("ping"));
    app.failWrites(true);
    const answer = await caller.post(RPC, toolCall("admin_create_schema", { name: "x" }));
    app.failWrites(false);
    expect(answer.text).not.toContain("disk");
    expect(answer.body.error).toEqual({ code: -32603, message: "an internal error occurred" });
  });
});

describe("the audit log", () => {
  test("tells of every call, reads and refusals too, and of the change itself", async () => {
    const app = await startChatApp();
    const caller = await app.as(["provision"]);
    await caller.post(RPC, toolCall("admin_list_agents"));
    await caller.post(RPC, toolCall("admin_delete_agent", { name: "helper" }));
    await caller.post(RPC, toolCall("admin_get_agent", { name: "nobody" }));
    await caller.post(
      RPC,
      toolCall("admin_create_model", {
        name: "m",
        type: "anthropic",
        model_name: "x",
        api_key: "sk-secret",
      }),
    );
    const { body, text } = await app.admin.get("/audit?action=mcp.tool.call");
    const calls = body.data.map(({ resource, actor_type, details }: Record<string, string>) => [
      resource,
      actor_type,
      JSON.parse(details ?? "").outcome,
    ]);
    expect(calls.sort()).toEqual([
      ["admin_create_model", "api_token", "done"],
      ["admin_delete_agent", "api_token", "refused"],
      ["admin_get_agent", "api_token", "failed"],
      ["admin_list_agents", "api_token", "done"],
    ]);
    expect(text).not.toContain("sk-secret");
    const changes = await app.admin.get("/audit?action=model.create");
    expect(changes.body.data).toMatchObject([
      { resource: "admin_create_model", actor_type: "api_token" },
      {},
    ]);
  });
});
