import { describe, expect, test } from "vitest";
import { EngineError } from "#engine/kernel/error.ts";
import type { Caller } from "../support/app.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { ask, read } from "../support/turns.ts";

const LIMITS = "/admin/usage-limits";
const HOUR_S = 3_600;
const withTools = { tools: ["current_time", "show_structured_output"] };
const time = { id: "t1", tool: "current_time", input: {} };

const limit = (fields: object = {}) => ({
  scope: "tenant",
  unit: "turns",
  limit_value: 2,
  interval_seconds: HOUR_S,
  enabled: true,
  ...fields,
});

/** One turn of one step; returns its status. */
async function turn({ model }: ChatApp, caller: Caller, body: object = {}): Promise<number> {
  model.script({ text: "Hi." });
  const response = await caller.open("/schemas/support/chat", { message: "hi", ...body });
  await response.text();
  return response.status;
}

async function limited(fields: object = {}, agent: Record<string, unknown> = {}) {
  const app = await startChatApp([], agent);
  expect((await app.admin.put(LIMITS, limit(fields))).status).toBe(200);
  return { ...app, widget: await app.as(["chat"]) };
}

const used = async ({ as }: ChatApp): Promise<Record<string, number>> => {
  const { body } = await (await as(["chat"])).get("/usage");
  return Object.fromEntries(
    body.metrics.map((metric: { name: string; used: number }) => [metric.name, metric.used]),
  );
};

describe("usage totals", () => {
  test("count what there is and what was used", async () => {
    const app = await startChatApp([], withTools);
    const empty = (await app.admin.get("/usage")).body;
    expect(empty.plan).toMatch(/\w/);
    for (const metric of empty.metrics) {
      expect(metric).toEqual({
        name: expect.any(String),
        label: expect.any(String),
        used: expect.any(Number),
        limit: -1,
        unit: expect.any(String),
      });
    }
    expect(await used(app)).toMatchObject({ agents: 1, schemas: 1, sessions: 0, turns: 0 });

    app.model.script(
      { calls: [time], usage: { prompt: 10, completion: 1 } },
      { text: "Noon.", usage: { prompt: 20, completion: 2 } },
    );
    await ask(app.admin, { message: "time?" });
    expect(await used(app)).toMatchObject({
      sessions: 1,
      turns: 1,
      steps: 2,
      prompt_tokens: 30,
      completion_tokens: 3,
    });
  });

  test("are for every token and session, but not for end users or strangers", async () => {
    const app = await startChatApp();
    expect((await (await app.as(["agents:read"])).get("/usage")).status).toBe(200);
    expect((await (await app.asUser("ann")).get("/usage")).status).toBe(403);
    expect((await (await app.as("nobody")).get("/usage")).status).toBe(401);
  });
});

describe("a usage limit", () => {
  test("is put, listed, replaced and removed by its scope", async () => {
    const { admin } = await startChatApp();
    expect((await admin.get(LIMITS)).body).toEqual([]);
    expect((await admin.put(LIMITS, limit())).body).toEqual(limit());
    const { enabled, ...without } = limit({ scope: "per_user", unit: "steps" });
    expect((await admin.put(LIMITS, without)).body).toEqual({ ...without, enabled: true });
    await admin.put(LIMITS, limit({ limit_value: 9, enabled: false }));
    expect((await admin.get(LIMITS)).body).toEqual([
      { ...without, enabled: true },
      limit({ limit_value: 9, enabled: false }),
    ]);
    expect(await admin.delete(`${LIMITS}/tenant`)).toMatchObject({
      status: 200,
      body: { status: "deleted", scope: "tenant" },
    });
    expect((await admin.get(LIMITS)).body).toHaveLength(1);
    expect((await admin.delete(`${LIMITS}/everyone`)).status).toBe(400);
  });

  test.each([
    ["an unknown scope", { scope: "world" }, "scope"],
    ["no scope", { scope: undefined }, "scope"],
    ["an unknown unit", { unit: "tokens" }, "unit"],
    ["no unit", { unit: undefined }, "unit"],
    ["zero", { limit_value: 0 }, "limit_value"],
    ["a negative limit", { limit_value: -1 }, "limit_value"],
    ["half a turn", { limit_value: 1.5 }, "limit_value"],
    ["no limit", { limit_value: undefined }, "limit_value"],
    ["no time", { interval_seconds: 0 }, "interval_seconds"],
    ["a text", { interval_seconds: "60" }, "interval_seconds"],
    ["enabled that is no boolean", { enabled: "yes" }, "enabled"],
  ])("with %s is refused", async (_what, fields, told) => {
    const { admin } = await startChatApp();
    const answer = await admin.put(LIMITS, limit(fields));
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(told);
    expect((await admin.get(LIMITS)).body).toEqual([]);
  });

  test("is for administrators", async () => {
    const app = await startChatApp();
    for (const who of [["settings:write"], ["manage"]]) {
      const caller = await app.as(who);
      expect((await caller.get(LIMITS)).status).toBe(403);
      expect((await caller.put(LIMITS, limit())).status).toBe(403);
      expect((await caller.delete(`${LIMITS}/tenant`)).status).toBe(403);
    }
    expect((await (await app.as(["admin"])).put(LIMITS, limit())).status).toBe(200);
  });
});

describe("a tenant's limit", () => {
  test("refuses the turn after the last with what was used, and when to come back", async () => {
    const app = await limited();
    expect(await turn(app, app.widget)).toBe(200);
    app.clock.pass(600_000);
    expect(await turn(app, await app.asUser("ann"))).toBe(200);
    const refused = await app.widget.post("/schemas/support/chat", { message: "hi" });
    expect(refused).toMatchObject({ status: 402, body: { error: "usage_limited" } });
    expect(refused.body.message).toBe("usage limit reached: 2 of 2 turns used (tenant)");
    expect(refused.headers.get("Retry-After")).toBe(String(HOUR_S - 600));
    expect(app.model.calls).toHaveLength(2);
    expect(await app.store.read.sessions.count({})).toBe(2);
  });

  test("begins to count with the first use and anew when its time is over", async () => {
    const app = await limited({ limit_value: 1 });
    app.clock.pass(10 * HOUR_S * 1_000);
    expect(await turn(app, app.widget)).toBe(200);
    app.clock.pass(HOUR_S * 1_000);
    expect(await turn(app, app.widget)).toBe(402);
    app.clock.pass(1);
    expect(await turn(app, app.widget)).toBe(200);
    expect(await turn(app, app.widget)).toBe(402);
  });

  test("of steps counts the steps of sub-agents and tools", async () => {
    const app = await limited({ unit: "steps", limit_value: 3 }, withTools);
    app.model.script({ calls: [time] }, { text: "Noon." });
    await ask(app.widget, { message: "time?" });
    expect(await turn(app, app.widget)).toBe(200);
    const refused = await app.widget.post("/schemas/support/chat", { message: "hi" });
    expect(refused.body.message).toBe("usage limit reached: 3 of 3 steps used (tenant)");
  });

  test.each([
    ["is switched off", (app: ChatApp) => app.admin.put(LIMITS, limit({ enabled: false }))],
    ["is removed", (app: ChatApp) => app.admin.delete(`${LIMITS}/tenant`)],
    ["is raised", (app: ChatApp) => app.admin.put(LIMITS, limit({ limit_value: 3 }))],
  ])("lets turns through again when it %s", async (_what, change) => {
    const app = await limited();
    for (const _ of [1, 2]) await turn(app, app.widget);
    expect(await turn(app, app.widget)).toBe(402);
    await change(app);
    expect(await turn(app, app.widget)).toBe(200);
  });

  test("applies to an answer that is collected, too", async () => {
    const app = await limited({ limit_value: 1 });
    expect(await turn(app, app.widget, { stream: false })).toBe(200);
    expect(await turn(app, app.widget, { stream: false })).toBe(402);
  });
});

describe("a limit per user", () => {
  test("counts each user alone: subjects, tokens and their visitors", async () => {
    const app = await limited({ scope: "per_user", limit_value: 1 });
    const [ann, bob] = [await app.asUser("ann"), await app.asUser("bob")];
    expect(await turn(app, ann)).toBe(200);
    expect(await turn(app, bob)).toBe(200);
    expect(await turn(app, app.widget, { user_sub: "ann" })).toBe(200);
    expect(await turn(app, app.widget, { user_sub: "v2" })).toBe(200);
    expect(await turn(app, app.widget)).toBe(200);
    const refused = await ann.post("/schemas/support/chat", { message: "hi", user_sub: "eve" });
    expect(refused).toMatchObject({ status: 402 });
    expect(refused.body.message).toBe("usage limit reached: 1 of 1 turns used (per_user)");
    expect(await turn(app, app.widget, { user_sub: "v2" })).toBe(402);
  });

  test("stands beside the tenant's", async () => {
    const app = await limited({ scope: "per_user", limit_value: 5 });
    await app.admin.put(LIMITS, limit({ limit_value: 1 }));
    expect(await turn(app, app.widget)).toBe(200);
    const refused = await app.widget.post("/schemas/support/chat", { message: "hi" });
    expect(refused.body.message).toContain("(tenant)");
  });
});

describe("what counts as a turn", () => {
  const down = { fail: new EngineError("model_error", "the model is down") };

  test("not one whose model never said a word", async () => {
    const app = await limited({ limit_value: 1 });
    app.model.script(down);
    await ask(app.widget, { message: "hi" });
    expect(await used(app)).toMatchObject({ turns: 0, steps: 0 });
    expect(await turn(app, app.widget)).toBe(200);
    expect(await turn(app, app.widget)).toBe(402);
  });

  test("one that failed or was stopped after its first words", async () => {
    const app = await limited({ limit_value: 2 }, withTools);
    app.model.script({ calls: [time] }, down);
    await ask(app.widget, { message: "hi" });
    app.model.script({ text: "Once upon", hold: true });
    const response = await app.widget.open("/schemas/support/chat", { message: "hi" });
    await app.model.held();
    const session_id = response.headers.get("X-Session-Id");
    await app.admin.post(`/sessions/${session_id}/cancel`);
    await read(response);
    expect((await used(app)).turns).toBe(2);
    expect(await turn(app, app.widget)).toBe(402);
  });

  test("a turn that paused once, however often it is resumed; its steps all count", async () => {
    const app = await limited({ limit_value: 2 }, withTools);
    const block = { output_type: "info", title: "Go on?" };
    const form = (id: string) => [{ id, tool: "show_structured_output", input: block }];
    app.model.script({ calls: form("f1") }, { calls: form("f2") }, { text: "Done." });
    const asked = await ask(app.widget, { message: "go" });
    const { session_id } = asked;
    const resume = (interrupt_id: string) =>
      ask(app.widget, { session_id, resume_interrupt: { interrupt_id, payload: "yes" } });
    const again = await resume(asked.one("interrupt_request").interrupt_id);
    await resume(again.one("interrupt_request").interrupt_id);
    expect(await used(app)).toMatchObject({ turns: 1, steps: 3 });
    expect(await turn(app, app.widget)).toBe(200);
    expect(await turn(app, app.widget)).toBe(402);
  });

  test("but a resume is refused, too, when the limit is reached, and can be tried later", async () => {
    const app = await limited({ limit_value: 1 }, withTools);
    const input = { output_type: "info", title: "Go on?" };
    app.model.script({ calls: [{ id: "f1", tool: "show_structured_output", input }] });
    const asked = await ask(app.widget, { message: "go" });
    const { interrupt_id } = asked.one("interrupt_request");
    const resume_interrupt = { interrupt_id, payload: "yes" };
    const body = { session_id: asked.session_id, resume_interrupt };
    expect((await app.widget.post("/schemas/support/chat", body)).status).toBe(402);
    app.clock.pass(HOUR_S * 1_000 + 1);
    app.model.script({ text: "Done." });
    expect((await ask(app.widget, body)).one("message").content).toBe("Done.");
  });
});
