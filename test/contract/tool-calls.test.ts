import { describe, expect, test } from "vitest";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { addColleague, ask, frameOf, read } from "../support/turns.ts";

const PATH = "/audit/tool-calls";
const DAY_MS = 86_400_000;
const UNKNOWN = "44444444-4444-4444-8444-444444444444";
const withTime = { tools: ["current_time"] };
const time = (id: string, input: unknown = {}) => ({ id, tool: "current_time", input });

interface Record {
  readonly id: string;
  readonly tool_name: string;
  readonly agent_name: string;
  readonly status: string;
  readonly input: string;
}

async function list({ as }: ChatApp, query = ""): Promise<Record[]> {
  const { status, body } = await (await as(["agents:read"])).get(`${PATH}${query}`);
  expect(status).toBe(200);
  return body.data;
}

describe("a tool call", () => {
  test("is recorded with what was asked, what came of it, and for whom", async () => {
    const input = { time_zone: "UTC" };
    const app = await startChatApp([{ calls: [time("c1", input)] }, { text: "Noon." }], withTime);
    const { session_id } = await ask(await app.asUser("ann"), { message: "time?" });
    expect(await list(app)).toEqual([
      {
        id: expect.any(String),
        session_id,
        agent_name: "helper",
        tool_name: "current_time",
        input: '{"time_zone":"UTC"}',
        output: expect.stringContaining("12:00:00"),
        status: "completed",
        duration_ms: expect.any(Number),
        user_id: "ann",
        created_at: "2026-03-01T12:00:00Z",
      },
    ]);
  });

  test("without arguments has an empty object as its input", async () => {
    const app = await startChatApp([{ calls: [time("c1", "")] }, { text: "Noon." }], withTime);
    await ask(app.admin, { message: "time?" });
    expect(await list(app)).toMatchObject([{ input: "{}", status: "completed" }]);
  });

  test.each([
    ["fails", time("c1", { time_zone: "Moon" }), "[ERROR] unknown time zone"],
    ["has arguments that can't be read", time("c1", "{oops"), "[ERROR] invalid arguments"],
    ["is of an unknown tool", { id: "c1", tool: "launch", input: {} }, "[ERROR] there is no tool"],
  ])("is failed when it %s", async (_what, call, output) => {
    const app = await startChatApp([{ calls: [call] }, { text: "Sorry." }], withTime);
    await ask(app.admin, { message: "go" });
    expect(await list(app)).toMatchObject([
      { status: "failed", output: expect.stringContaining(output) },
    ]);
  });

  test("is failed when a person rejects it", async () => {
    const gated = { ...withTime, confirm_before: ["current_time"] };
    const app = await startChatApp([{ calls: [time("c1")] }, { text: "Fine." }], gated);
    const response = await app.admin.open("/schemas/support/chat", { message: "time?" });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    await frameOf(app, session_id, "confirmation");
    expect(await list(app)).toMatchObject([{ status: "completed", output: "", duration_ms: 0 }]);
    const answers = ["reject: too late"];
    await app.admin.post(`/sessions/${session_id}/respond`, { call_id: "c1", answers });
    await read(response);
    expect(await list(app)).toMatchObject([
      { status: "failed", output: expect.stringContaining("too late") },
    ]);
  });

  test("of a sub-agent is recorded under that agent's name", async () => {
    const spawn = { id: "s1", tool: "spawn_clerk", input: { description: "the time" } };
    const app = await startChatApp([
      { calls: [spawn] },
      { calls: [time("c1")] },
      { text: "Noon." },
      { text: "It is noon." },
    ]);
    await addColleague(app, "clerk", withTime);
    await ask(app.admin, { message: "time?" });
    const records = await list(app);
    expect(records.map(({ agent_name, tool_name }) => [agent_name, tool_name])).toEqual([
      ["clerk", "current_time"],
      ["helper", "spawn_clerk"],
    ]);
  });

  test("keeps its agent's name when the agent is renamed away or deleted", async () => {
    const app = await startChatApp([{ calls: [time("c1")] }, { text: "Noon." }], withTime);
    await ask(app.admin, { message: "time?" });
    await app.admin.delete("/agents/helper");
    expect(await list(app)).toMatchObject([{ agent_name: "helper" }]);
  });

  test("with a long output is cut, and says so", async () => {
    const name = "x".repeat(5_000);
    const app = await startChatApp(
      [{ calls: [time("c1", { time_zone: name })] }, { text: "Sorry." }],
      withTime,
    );
    const { one } = await ask(app.admin, { message: "go" });
    const whole = one("tool_result").content as string;
    const [record] = (await (await app.as(["admin"])).get(PATH)).body.data;
    expect(record.output).toBe(
      `${whole.slice(0, 2_000)}\n[… ${whole.length - 2_000} characters cut]`,
    );
    expect(record.input).toBe(JSON.stringify({ time_zone: name }));
  });

  test("goes with its session", async () => {
    const app = await startChatApp([{ calls: [time("c1")] }, { text: "Noon." }], withTime);
    const { session_id } = await ask(app.admin, { message: "time?" });
    await app.admin.delete(`/sessions/${session_id}`);
    expect(await list(app)).toEqual([]);
  });
});

/** Three calls: two of ann's on the first day (one fails), one of bob's on the next. */
async function threeCalls() {
  const app = await startChatApp([], withTime);
  app.model.script({ calls: [time("c1"), time("c2", { time_zone: "Moon" })] }, { text: "Noon." });
  const ann = await ask(await app.asUser("ann"), { message: "time?" });
  app.clock.pass(DAY_MS);
  const calls = [{ id: "c3", tool: "launch", input: {} }];
  app.model.script({ calls }, { text: "Sorry." });
  const bob = await ask(await app.asUser("bob"), { message: "go" });
  return { ...app, ann, bob };
}

describe("the list of tool calls", () => {
  test("is newest first", async () => {
    const inputs = (await list(await threeCalls())).map(({ tool_name, input }) => [
      tool_name,
      input,
    ]);
    expect(inputs).toEqual([
      ["launch", "{}"],
      ["current_time", '{"time_zone":"Moon"}'],
      ["current_time", "{}"],
    ]);
  });

  test.each([
    ["", 3],
    ["?agent=helper", 3],
    ["?agent=nobody", 0],
    ["?tool=current_time", 2],
    ["?tool=launch", 1],
    ["?status=failed", 2],
    ["?status=completed", 1],
    ["?status=nonsense", 0],
    ["?user_id=ann", 2],
    ["?user_id=an", 0],
    ["?user_id=bob&status=failed", 1],
    ["?user_id=bob&tool=current_time", 0],
    ["?from=2026-03-02", 1],
    ["?to=2026-03-01", 2],
    ["?from=2026-03-01&to=2026-03-02", 3],
    ["?from=2026-03-01T12:00:00Z&to=2026-03-01T12:00:00Z", 2],
    ["?from=2026-03-01T14:00:01%2B02:00", 1],
    ["?to=2026-03-01T11:59:59Z", 0],
    [`?session_id=${UNKNOWN}`, 0],
    ["?session_id=", 3],
    ["?agent=&tool=&status=&user_id=&from=&to=", 3],
    ["?unknown=filter", 3],
  ])("filtered by %s", async (query, count) => {
    const app = await threeCalls();
    expect(await list(app, query)).toHaveLength(count);
    expect((await (await app.as(["admin"])).get(`${PATH}${query}`)).body.total).toBe(count);
  });

  test("can be filtered by session", async () => {
    const app = await threeCalls();
    expect(await list(app, `?session_id=${app.ann.session_id}`)).toHaveLength(2);
    expect(await list(app, `?session_id=${app.bob.session_id.toUpperCase()}`)).toHaveLength(1);
  });

  test.each([
    ["", { page: 1, per_page: 50, total_pages: 1 }, 3],
    ["?per_page=2", { page: 1, per_page: 2, total_pages: 2 }, 2],
    ["?per_page=2&page=2", { page: 2, per_page: 2, total_pages: 2 }, 1],
    ["?per_page=2&page=9", { page: 9, per_page: 2, total_pages: 2 }, 0],
    ["?per_page=1000", { page: 1, per_page: 100, total_pages: 1 }, 3],
    ["?per_page=0&page=0", { page: 1, per_page: 50, total_pages: 1 }, 3],
    ["?per_page=-1&page=x", { page: 1, per_page: 50, total_pages: 1 }, 3],
    ["?page=1e30", { per_page: 50 }, 0],
  ])("is paged by %s", async (query, about, count) => {
    const app = await threeCalls();
    const { body } = await (await app.as(["admin"])).get(`${PATH}${query}`);
    expect(body).toMatchObject({ total: 3, ...about });
    expect(body.data).toHaveLength(count);
  });

  test("is empty without a page to count", async () => {
    const app = await startChatApp();
    expect((await app.admin.get(PATH)).body).toEqual({
      data: [],
      total: 0,
      page: 1,
      per_page: 50,
      total_pages: 0,
    });
  });

  test.each(["from=yesterday", "to=2026-02-30", "from=2026-13-01", "to=2026-03-01T25:00:00Z"])(
    "refuses %s",
    async (query) => {
      const { admin } = await startChatApp();
      expect(await admin.get(`${PATH}?${query}`)).toMatchObject({
        status: 400,
        body: { error: "bad_request", message: expect.stringContaining(query.split("=")[0] ?? "") },
      });
    },
  );

  test("is for every token and session, but not for end users or strangers", async () => {
    const app = await startChatApp();
    expect((await (await app.as(["chat"])).get(PATH)).status).toBe(200);
    expect((await (await app.asUser("ann")).get(PATH)).status).toBe(403);
    expect((await (await app.as("nobody")).get(PATH)).status).toBe(401);
  });
});

describe("the metadata of tools", () => {
  test("names each tool with how much harm it can do", async () => {
    const { admin } = await startChatApp();
    const { status, body } = await admin.get("/tools/metadata");
    expect(status).toBe(200);
    const zones = Object.fromEntries(
      body.map((tool: { name: string; security_zone: string }) => [tool.name, tool.security_zone]),
    );
    expect(zones).toMatchObject({
      spawn_agent: "safe",
      show_structured_output: "safe",
      memory_recall: "safe",
      memory_store: "safe",
    });
    for (const tool of body) {
      expect(tool.description).toMatch(/\w/);
      expect(Object.keys(tool).sort()).toEqual(["description", "name", "security_zone"]);
    }
    expect(new Set(body.map(({ name }: { name: string }) => name)).size).toBe(body.length);
  });

  test("needs its own scope", async () => {
    const app = await startChatApp();
    expect((await (await app.as(["tools:read"])).get("/tools/metadata")).status).toBe(200);
    expect((await (await app.as(["agents:read"])).get("/tools/metadata")).status).toBe(403);
  });
});
