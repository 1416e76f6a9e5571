import { describe, expect, test } from "vitest";
import { startTestApp } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";
import { ask } from "../support/turns.ts";

interface Entry {
  readonly action: string;
  readonly resource: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly details: string;
}

const MODEL = { name: "m", type: "demo", model_name: "demo" };

describe("the audit log", () => {
  test("tells who changed what, newest first, without a body's words", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    await admin.post("/models", { ...MODEL, api_key: "sk-very-secret" });
    await admin.post("/agents", { name: "helper", system: "Keep this private." });
    await admin.patch("/agents/helper", { max_steps: 3 });
    await admin.delete("/agents/helper");
    const { body, text } = await admin.get("/audit");
    expect(body).toMatchObject({ total: 4, page: 1, per_page: 50, total_pages: 1 });
    expect(body.data.map(({ action, resource }: Entry) => [action, resource])).toEqual([
      ["agent.delete", "DELETE /api/v1/agents/helper"],
      ["agent.update", "PATCH /api/v1/agents/helper"],
      ["agent.create", "POST /api/v1/agents"],
      ["model.create", "POST /api/v1/models"],
    ]);
    expect(body.data[0]).toMatchObject({ actor_type: "admin", actor_id: "local-admin" });
    expect(JSON.parse(body.data[2].details)).toMatchObject({
      method: "POST",
      path: "/api/v1/agents",
      status_code: 201,
    });
    expect(text).not.toContain("secret");
    expect(text).not.toContain("private");
  });

  test("has no entry for what was refused, undone or only read", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    await admin.get("/agents");
    await admin.post("/agents", { name: "Bad Name" });
    await admin.post("/agents", { name: "helper" });
    await admin.delete("/agents/nobody");
    app.failWrites(true);
    await admin.put("/settings/colour", { value: "green" });
    app.failWrites(false);
    expect((await admin.get("/audit")).body.data).toEqual([]);
  });

  test("records tokens, their revocation and what they did", async () => {
    const app = await startTestApp();
    const admin = await app.as("admin");
    const { body: token } = await admin.post("/auth/tokens", { name: "bot", scopes: ["admin"] });
    await app.bearer(token.token).put("/settings/colour", { value: "green" });
    await admin.delete(`/auth/tokens/${token.id}`);
    const { body, text } = await admin.get("/audit");
    expect(
      body.data.map(({ action, actor_type, actor_id }: Entry) => [action, actor_type, actor_id]),
    ).toEqual([
      ["token.revoke", "admin", "local-admin"],
      ["setting.update", "api_token", "bot"],
      ["token.create", "admin", "local-admin"],
    ]);
    expect(text).not.toContain(token.token);
  });

  test("records sessions that were opened and credentials that were refused, one a second", async () => {
    const app = await startTestApp();
    await app.fetch("/auth/local-session", { method: "POST", headers: { Host: "127.0.0.1" } });
    const stranger = app.bearer(`bb_${"0".repeat(64)}`);
    for (let attempt = 0; attempt < 3; attempt += 1) await stranger.get("/agents");
    app.clock.pass(1_000);
    await stranger.get("/agents");
    const admin = await app.as("admin");
    const { body, text } = await admin.get("/audit");
    expect(body.data.map(({ action }: Entry) => action)).toEqual([
      "auth.fail",
      "auth.fail",
      "auth.success",
    ]);
    expect(JSON.parse(body.data[0].details)).toMatchObject({ refused: 3 });
    expect(text).not.toContain("bb_0");
  });

  test("records each message once its turn is over", async () => {
    const { admin, asUser } = await startChatApp([{ text: "Hello." }]);
    const { session_id } = await ask(await asUser("ann"), { message: "my secret" });
    const { body, text } = await admin.get("/audit?action=chat.message");
    expect(body.data).toMatchObject([
      { actor_type: "end_user", actor_id: "ann", resource: `session ${session_id}` },
    ]);
    expect(text).not.toContain("my secret");
  });

  test("can be narrowed and paged", async () => {
    const app = await startTestApp();
    const bot = await app.as(["settings:write", "audit:read"]);
    for (const key of ["a", "b", "c"]) {
      await bot.put(`/settings/${key}`, { value: "1" });
      app.clock.pass(86_400_000);
    }
    const count = async (query: string) =>
      (await bot.get(`/audit?action=setting.update&${query}`)).body.total;
    expect(await count("")).toBe(3);
    expect((await bot.get("/audit?action=agent.create")).body.total).toBe(0);
    expect(await count("actor_type=api_token")).toBe(3);
    expect(await count("actor_type=admin")).toBe(0);
    expect(await count("resource=PUT%20/api/v1/settings/b")).toBe(1);
    expect(await count("from=2026-03-02")).toBe(2);
    expect(await count("to=2026-03-01")).toBe(1);
    const page = (await bot.get("/audit?action=setting.update&per_page=2&page=2")).body;
    expect(page).toMatchObject({ total: 3, total_pages: 2, per_page: 2, page: 2 });
    expect(page.data).toHaveLength(1);
    expect((await bot.get("/audit?per_page=1000")).body.per_page).toBe(100);
    expect((await bot.get("/audit?from=yesterday")).status).toBe(400);
  });

  test("is for those who may read it", async () => {
    const app = await startTestApp();
    expect((await (await app.as(["audit:read"])).get("/audit")).status).toBe(200);
    expect((await (await app.as(["settings:write"])).get("/audit")).status).toBe(403);
  });
});
