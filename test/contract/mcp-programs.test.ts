import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { Caller, TestOverrides } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { addServer, scriptedServer } from "../support/mcp-servers.ts";
import { ask, frameOf, read } from "../support/turns.ts";

const call = (tool: string, input: object = {}, id = "c1") => ({ calls: [{ id, tool, input }] });
const notesFile = () => join(mkdtempSync(join(tmpdir(), "troupe-mcp-")), "notes");
const linesOf = (file: string) =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** An app whose agent has a server that plays a part; it calls `look` unless the steps say otherwise. */
async function playing(
  part: string,
  {
    steps = [call("look"), { text: "Done." }],
    agent = {},
    argument = "",
    overrides = {},
  }: { steps?: object[]; agent?: object; argument?: string; overrides?: TestOverrides } = {},
) {
  const app = await startChatApp(steps as [], agent as Record<string, unknown>, overrides);
  const server = await addServer(app.admin, scriptedServer("actor", part, argument));
  await app.admin.patch("/agents/helper", { mcp_servers: ["actor"] });
  return { ...app, server, go: () => ask(app.admin, { message: "Go." }) };
}

describe("a program that serves tools", () => {
  test("gets its own variables and those it takes to run, and nothing of the server's", async () => {
    vi.stubEnv("TROUPE_TEST_SECRET", "must not be seen");
    const { admin, go } = await playing("plain", {
      steps: [call("environment"), { text: "Done." }],
    });
    await admin.patch("/mcp-servers/actor", { env_vars: { OWN: "its own" } });
    const answer = await go();
    const variables = JSON.parse(answer.one("tool_result").content);
    expect(variables).toMatchObject({ OWN: "its own", PATH: expect.any(String) });
    expect(variables).not.toHaveProperty("TROUPE_TEST_SECRET");
    expect(Object.keys(variables).filter((name) => /^(NODE|VITEST|npm)/.test(name))).toEqual([]);
  });

  test("takes its arguments as they are: no shell reads them", async () => {
    const { admin } = await startChatApp();
    const file = notesFile();
    const server = scriptedServer("actor", "plain", `$(touch ${file}); touch ${file}`);
    expect((await addServer(admin, server)).status.status).toBe("connected");
    expect(() => readFileSync(file)).toThrow();
    const shell = { name: "shell", type: "stdio", command: `touch ${file}; true` };
    expect((await addServer(admin, shell)).status.status_message).toContain("cannot be started");
    expect(() => readFileSync(file)).toThrow();
  });

  test("that says one of its secrets as it fails does not have it told", async () => {
    const { admin } = await startChatApp();
    const script = "console.error('wrong key ' + process.env.KEY); process.exit(1);";
    const server = {
      name: "actor",
      type: "stdio",
      command: process.execPath,
      args: ["-e", script],
    };
    const { status } = await addServer(admin, { ...server, env_vars: { KEY: "top-secret" } });
    expect(status.status_message).toContain("wrong key ***");
    expect(status.status_message).not.toContain("top-secret");
  });

  test("that ends when it is asked for its revision is greeted in the old way", async () => {
    const { server, go } = await playing("old");
    expect(server.status.status).toBe("connected");
    expect((await go()).one("tool_result").has_error).toBe(false);
  });

  test("is told the same key for a call, however often it is made", async () => {
    const file = notesFile();
    const { go } = await playing("notes", { argument: file });
    await go();
    const [{ params }] = linesOf(file);
    expect(params._meta.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(params).toMatchObject({ name: "look", arguments: {} });
  });

  test("hears of it when its call is stopped", async () => {
    const file = notesFile();
    const { admin } = await playing("notes", {
      argument: file,
      steps: [call("pay"), { text: "Never." }],
    });
    const response = await admin.open("/schemas/support/chat", { message: "Go." });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    await frameOf({ admin } as never, session_id, "tool_call");
    await vi.waitFor(() => expect(linesOf(file)).toHaveLength(1));
    await admin.post(`/sessions/${session_id}/cancel`);
    await read(response);
    await vi.waitFor(() =>
      expect(linesOf(file)[1]).toMatchObject({ method: "notifications/cancelled" }),
    );
  });

  test("is started again after a crash, and tools of one that is down are left out", async () => {
    const { admin, model, go } = await playing("dies", {
      steps: [call("look"), { text: "Oh." }, { text: "Nothing." }],
    });
    const answer = await go();
    expect(answer.one("tool_result")).toMatchObject({ has_error: true });
    expect(answer.one("tool_result").content).toContain("outcome is unknown");
    expect(answer.one("message").content).toBe("Oh.");
    expect((await admin.post("/mcp-servers/actor/refresh")).body.tools_count).toBe(5);
    await admin.patch("/mcp-servers/actor", { enabled: false });
    await go();
    expect(model.calls.at(-1)?.tools).toBeUndefined();
    expect((await admin.post("/mcp-servers/actor/refresh")).status).toBe(404);
  });
});

describe("a server's tool", () => {
  const gated = { confirm_before: ["change", "look"] };

  test.each([
    ["its own name", "look"],
    ["its server's and its own", "actor__look"],
    ["the same with a slash", "actor/look"],
    ["another case", "LOOK"],
    ["other forms of the same letters", "ｌｏｏｋ"],
  ])("needs approval when the agent lists it by %s", async (_how, name) => {
    const { admin } = await playing("plain", { agent: { confirm_before: [name] } });
    const response = await admin.open("/schemas/support/chat", { message: "Go." });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    const { data } = await frameOf({ admin } as never, session_id, "confirmation");
    expect(data).toMatchObject({ call_id: "c1", tool: "look" });
    await admin.post(`/sessions/${session_id}/respond`, { call_id: "c1", answers: ["reject"] });
    expect((await read(response)).one("tool_result").has_error).toBe(true);
  });

  test("needs approval under the name that a model gives it", async () => {
    const { admin } = await playing("plain", {
      agent: { confirm_before: ["look"] },
      steps: [call("actor__look"), { text: "Done." }],
    });
    const response = await admin.open("/schemas/support/chat", { message: "Go." });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    await frameOf({ admin } as never, session_id, "confirmation");
    await admin.post(`/sessions/${session_id}/respond`, { call_id: "c1", answers: ["approve"] });
    expect((await read(response)).one("tool_result").has_error).toBe(false);
  });

  test("that has changed since it was approved is not called, and the audit log tells", async () => {
    const { admin, model } = await playing("plain", { agent: gated, steps: [call("look")] });
    const response = await admin.open("/schemas/support/chat", { message: "Go." });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    await frameOf({ admin } as never, session_id, "confirmation");
    // Meanwhile, in another turn, the server changes what the tool says of itself.
    await admin.patch("/agents/helper", { confirm_before: ["look"] });
    model.script(call("change", {}, "c2"), { text: "Changed." });
    await ask(admin, { message: "Change." });
    model.script({ text: "Well." });
    const changed = async () =>
      (await admin.get("/audit?action=mcp.tools.changed")).body.data[0] ?? { details: "{}" };
    await vi.waitFor(async () =>
      expect(JSON.parse((await changed()).details)).toMatchObject({ changed: ["look"] }),
    );
    expect(await changed()).toMatchObject({ actor_type: "system", resource: "MCP server actor" });
    await admin.post(`/sessions/${session_id}/respond`, { call_id: "c1", answers: ["approve"] });
    const { content, has_error } = (await read(response)).one("tool_result");
    expect([content, has_error]).toEqual([expect.stringContaining("approved anew"), true]);
  });

  test("is believed to be safe to repeat when an administrator chose its server, and only then", async () => {
    const app = await startChatApp([], {}, { stdio_policy: "tokens" });
    const provision = await app.as(["provision"]);
    const isBegun = async (admin: Caller, tool: string) => {
      await admin.post("/mcp-servers", scriptedServer("actor", "plain"));
      await app.admin.patch("/agents/helper", { mcp_servers: ["actor"] });
      app.model.script(call(tool), { text: "Done." });
      const { session_id, one } = await ask(app.admin, { message: "Go." });
      expect(one("tool_result").has_error).toBe(false);
      await app.admin.delete("/mcp-servers/actor");
      // Only what must not be repeated is recorded before it has its effect.
      const events = await app.store.read.events.list(session_id);
      return events.some(({ type }) => type === "tool_started");
    };
    expect(await isBegun(app.admin, "look")).toBe(false);
    expect(await isBegun(app.admin, "pay")).toBe(true);
    expect(await isBegun(provision, "look")).toBe(true);
  });

  test("has its server's name where another has the same, and the product's own keep theirs", async () => {
    const { admin, model, go } = await playing("plain", {
      steps: [call("twin__look"), { text: "Done." }],
    });
    await addServer(admin, scriptedServer("twin", "plain"));
    await admin.patch("/agents/helper", { mcp_servers: ["actor", "twin"] });
    expect((await go()).one("tool_result").has_error).toBe(false);
    const offered = model.calls[0]?.tools?.map(({ name }) => name);
    expect(offered).toEqual(expect.arrayContaining(["actor__look", "twin__look"]));
    expect(offered).not.toContain("look");
  });

  test("with a schema that refers to an address is offered as it is, and nobody goes there", async () => {
    const { model, go } = await playing("plain", { argument: "http://127.0.0.1:1/schema.json" });
    expect((await go()).one("tool_result").has_error).toBe(false);
    expect(JSON.stringify(model.calls[0]?.tools)).toContain("http://127.0.0.1:1/schema.json");
  });

  test("that is described in no valid way makes its server one that can't be used", async () => {
    const { server } = await playing("nonsense");
    expect(server.status).toMatchObject({ status: "error", tools_count: 0 });
  });
});

describe("an answer", () => {
  const answerOf = async (part: string, overrides: TestOverrides = {}) => {
    const { go } = await playing(part, { overrides });
    const { frames, one } = await go();
    expect(frames.at(-1)?.event).toBe("done");
    return one("tool_result");
  };

  test("that never comes is not waited for", async () => {
    const { content, has_error } = await answerOf("silent", { mcp_call_ms: 200 });
    expect([content, has_error]).toEqual(["[ERROR] tool_timeout: look exceeded 200ms", true]);
  });

  test("is waited for as long as there is progress", async () => {
    expect((await answerOf("progress", { mcp_call_ms: 600 })).content).toBe("at last");
  });

  test("of three hundred thousand characters is cut, and says so", async () => {
    const { model, go } = await playing("large", { agent: { max_context_size: 200_000 } });
    await go();
    const prompt = JSON.stringify(model.calls[1]?.prompt);
    expect(prompt.length).toBeLessThan(66_000);
    expect(prompt).toContain("[truncated: 64000 of 300000 characters are shown]");
  });

  test.each(["huge", "endless", "dies", "invalid"])(
    "of a server that is %s is an error",
    async (part) => {
      expect(await answerOf(part)).toMatchObject({ has_error: true });
    },
    30_000,
  );

  test("to another question, or none at all, is passed over", async () => {
    expect((await answerOf("wrong")).content).toBe("for you");
  });

  test("of several kinds is told in words", async () => {
    const { content } = await answerOf("rich");
    expect(content).toContain("A picture:");
    expect(content).toContain("[image: image/png, 3 bytes; it cannot be shown here]");
    expect(content).toContain("[resource file:///a.txt]\ninside");
    expect(content).toContain("[link to resource b file:///b.txt]");
  });

  test("without text is told by its structure", async () => {
    expect((await answerOf("structured")).content).toBe('{"total":3}');
  });
});
