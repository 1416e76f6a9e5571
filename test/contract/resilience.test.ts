import { describe, expect, test } from "vitest";
import { z } from "zod";
import { adminSession } from "#engine/kernel/principal.ts";
import { defineOperation } from "#engine/operation.ts";
import { startTestApp, type TestApp } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { ask } from "../support/turns.ts";

/** Something of the engine that calls what is outside, through its breaker. */
const callOutside = defineOperation({
  name: "test.call_outside",
  summary: "Call a server that is down",
  scope: "admin",
  effect: "write",
  input: z.object({ name: z.string() }),
  output: z.undefined(),
  run: ({ services }, { name }) =>
    services.breakers.guard(name, () => Promise.reject(new Error("down"))),
});

async function failOften(app: TestApp, name: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 1) {
    const call = app.engine.call(adminSession("test"), callOutside, { name });
    await expect(call).rejects.toThrow("down");
  }
}

const PATH = "/resilience/circuit-breakers";

describe("circuit breakers", () => {
  test("are none before something was called", async () => {
    const reader = await (await startTestApp()).as(["resilience:read"]);
    expect((await reader.get(PATH)).body).toEqual({ breakers: [] });
  });

  test("are listed with their states", async () => {
    const app = await startTestApp();
    const reader = await app.as(["resilience:read"]);
    await failOften(app, "search", 3);
    await failOften(app, "calendar", 1);
    const last_failure = "2026-03-01T12:00:00Z";
    expect((await reader.get(PATH)).body).toEqual({
      breakers: [
        { name: "calendar", state: "closed", failure_count: 1, last_failure },
        { name: "search", state: "open", failure_count: 3, last_failure },
      ],
    });
    app.clock.pass(120_000);
    expect((await reader.get(PATH)).body.breakers[1]).toMatchObject({ state: "half_open" });
  });

  test("can be reset", async () => {
    const app = await startTestApp();
    const operator = await app.as(["resilience:read", "resilience:write"]);
    await failOften(app, "search", 3);
    const reset = await operator.post(`${PATH}/search/reset`);
    expect([reset.status, reset.body]).toEqual([200, { status: "reset", name: "search" }]);
    expect((await operator.get(PATH)).body.breakers).toEqual([
      { name: "search", state: "closed", failure_count: 0 },
    ]);
    expect((await operator.post(`${PATH}/nobody/reset`)).status).toBe(404);
  });
});

describe("the widget's settings", () => {
  test("are told to whoever may chat, and may be kept for a while", async () => {
    const app = await startTestApp();
    for (const caller of [await app.as(["chat"]), await app.asUser("ann")]) {
      const { status, body, headers } = await caller.get("/widget-config");
      expect([status, body]).toEqual([200, { attribution: true }]);
      expect(headers.get("Cache-Control")).toBe("private, max-age=300");
    }
  });
});

describe("the status of usage", () => {
  test("tells what is used, and what is limited", async () => {
    const app = await startChatApp([{ text: "Hi." }, { text: "Hi." }, { text: "Hi." }]);
    const reader = await app.as(["settings:read"]);
    await ask(app.admin, { message: "hi" });
    await ask(await app.asUser("ann"), { message: "hi" });
    expect((await reader.get("/usage-status")).body).toEqual({
      active_users: { used: 2, limit: null },
      schemas: { used: 1, limit: null },
      knowledge_documents: { used: 0, limit: null },
      turns: { used: 2, limit: null },
    });
    const limit = { scope: "tenant", unit: "turns", limit_value: 5, interval_seconds: 60 };
    await app.admin.put("/admin/usage-limits", limit);
    await ask(app.admin, { message: "hi" });
    expect((await reader.get("/usage-status")).body.turns).toEqual({ used: 1, limit: 5 });
    app.clock.pass(61_000);
    expect((await reader.get("/usage-status")).body.turns).toEqual({ used: 0, limit: 5 });
  });

  test("counts a visitor who was away for long no more", async () => {
    const app = await startChatApp([{ text: "Hi." }]);
    await ask(await app.asUser("ann"), { message: "hi" });
    app.clock.pass(31 * 86_400_000);
    const reader = await app.as(["settings:read"]);
    expect((await reader.get("/usage-status")).body.active_users.used).toBe(0);
  });
});
