import { describe, expect, test } from "vitest";
import type { Caller } from "../support/app.ts";
import { startChatApp } from "../support/chat.ts";

const NOBODY = "44444444-4444-4444-8444-444444444444";
const UUID = /^[0-9a-f-]{36}$/;

async function start() {
  const app = await startChatApp();
  return { ...app, api: await app.as(["tasks"]) };
}

const body = (fields: object = {}) => ({ title: "Write it", agent_name: "helper", ...fields });

async function make(api: Caller, fields: object = {}): Promise<string> {
  const { status, body: made, text } = await api.post("/tasks", body(fields));
  if (status !== 201) throw new Error(text);
  return made.task_id;
}

const statusOf = async (api: Caller, id: string) => (await api.get(`/tasks/${id}`)).body.status;

describe("a task", () => {
  test("is created and told with every field of the contract, its agent never", async () => {
    const { api } = await start();
    const blocker = await make(api);
    const parent = await make(api);
    const fields = {
      description: "All of it.",
      mode: "interactive",
      priority: 2,
      acceptance_criteria: ["It is short.", "It is true."],
      blocked_by: [blocker],
      parent_task_id: parent,
    };
    const made = await api.post("/tasks", body(fields));
    expect(made).toMatchObject({
      status: 201,
      body: { task_id: expect.stringMatching(UUID), status: "pending" },
    });
    expect(Object.keys(made.body)).toEqual(["task_id", "status"]);
    const { body: told } = await api.get(`/tasks/${made.body.task_id}`);
    expect(told).toEqual({
      id: made.body.task_id,
      title: "Write it",
      agent_name: "",
      source: "",
      status: "pending",
      created_at: "2026-03-01T12:00:00Z",
      ...fields,
    });
  });

  test("leaves out what is empty", async () => {
    const { api } = await start();
    const { body: told } = await api.get(`/tasks/${await make(api)}`);
    expect(Object.keys(told).sort()).toEqual(
      ["agent_name", "created_at", "id", "mode", "priority", "source", "status", "title"].sort(),
    );
    expect(told).toMatchObject({ mode: "interactive", priority: 0 });
  });

  test("begins as a draft when it requires approval", async () => {
    const { api } = await start();
    const made = await api.post("/tasks", body({ require_approval: true }));
    expect(made.body.status).toBe("draft");
  });

  test("takes any other mode for interactive, and an empty parent for none", async () => {
    const { api } = await start();
    const id = await make(api, { mode: "whenever", parent_task_id: "" });
    expect((await api.get(`/tasks/${id}`)).body.mode).toBe("interactive");
  });

  test("names its agent by name or id", async () => {
    const { api, admin } = await start();
    const { body: agent } = await admin.get("/agents/helper");
    expect((await api.post("/tasks", body({ agent_name: agent.id }))).status).toBe(201);
  });

  test.each([
    ["no title", { title: undefined }, "title"],
    ["an empty title", { title: "  " }, "title"],
    ["a title of 257 characters", { title: "x".repeat(257) }, "256"],
    ["no agent", { agent_name: undefined }, "agent_name"],
    ["an unknown agent", { agent_name: "nobody" }, 'there is no agent "nobody"'],
    ["a description of 8193 characters", { description: "x".repeat(8193) }, "8192"],
    ["priority 3", { priority: 3 }, "priority"],
    ["priority -1", { priority: -1 }, "priority"],
    ["priority 0.5", { priority: 0.5 }, "priority"],
    ["65 criteria", { acceptance_criteria: Array(65).fill("x") }, "64"],
    ["a criterion of 513 characters", { acceptance_criteria: ["x".repeat(513)] }, "512"],
    ["33 blockers", { blocked_by: Array(33).fill(NOBODY) }, "32"],
    ["a blocker that is no UUID", { blocked_by: ["first"] }, "UUID"],
    ["an unknown blocker", { blocked_by: [NOBODY] }, "blocked_by: there is no task"],
    ["a parent that is no UUID", { parent_task_id: "first" }, "parent_task_id"],
    ["an unknown parent", { parent_task_id: NOBODY }, "parent_task_id: there is no task"],
    ["a word for require_approval", { require_approval: "yes" }, "require_approval"],
  ])("is refused with %s", async (_what, fields, message) => {
    const { api } = await start();
    const refused = await api.post("/tasks", body(fields));
    expect(refused).toMatchObject({ status: 400, body: { error: "bad_request" } });
    expect(refused.body.message).toContain(message);
  });

  test("is refused with a body of more than 64 KB, and with what is no JSON", async () => {
    const { api } = await start();
    const large = await api.post("/tasks", body({ ignored: "x".repeat(65_536) }));
    expect(large).toMatchObject({ status: 400, body: { error: "bad_request" } });
    expect(large.body.message).toContain("65536");
    expect((await api.post("/tasks", "{")).status).toBe(400);
  });

  test("is kept at its limits", async () => {
    const { api } = await start();
    const blockers = await Promise.all(Array.from({ length: 32 }, () => make(api)));
    const fields = {
      title: "x".repeat(256),
      description: "x".repeat(8192),
      acceptance_criteria: Array(64).fill("x".repeat(512)),
      blocked_by: blockers,
    };
    expect((await api.post("/tasks", body(fields))).status).toBe(201);
  });
});

describe("subtasks", () => {
  test("are listed under their parent, without details", async () => {
    const { api } = await start();
    const parent_task_id = await make(api);
    const first = await make(api, { parent_task_id, title: "First", description: "d" });
    const second = await make(api, { parent_task_id, title: "Second" });
    await make(api, { parent_task_id: first });
    const { status, body: listed } = await api.get(`/tasks/${parent_task_id}/subtasks`);
    expect(status).toBe(200);
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([first, second]);
    expect(Object.keys(listed[0]).sort()).toEqual(
      [
        "agent_name",
        "created_at",
        "id",
        "parent_task_id",
        "priority",
        "source",
        "status",
        "title",
      ].sort(),
    );
    expect((await api.get(`/tasks/${second}/subtasks`)).body).toEqual([]);
    expect((await api.get(`/tasks/${NOBODY}/subtasks`)).status).toBe(404);
  });

  test("need a parent that has not ended, and go ten levels deep", async () => {
    const { api } = await start();
    let parent_task_id = await make(api);
    for (let depth = 1; depth <= 10; depth += 1) {
      parent_task_id = await make(api, { parent_task_id });
    }
    const deeper = await api.post("/tasks", body({ parent_task_id }));
    expect(deeper).toMatchObject({ status: 400 });
    expect(deeper.body.message).toContain("10 levels");
    await api.delete(`/tasks/${parent_task_id}`);
    const late = await api.post("/tasks", body({ parent_task_id }));
    expect(late.body.message).toContain("cancelled");
  });

  test("are cancelled with their parent, at every depth; only the named task keeps the reason", async () => {
    const { api } = await start();
    const parent_task_id = await make(api);
    const child = await make(api, { parent_task_id });
    const done = await make(api, { parent_task_id });
    const below = await make(api, { parent_task_id: child });
    const below_done = await make(api, { parent_task_id: done });
    await api.post(`/tasks/${done}/start`);
    await api.post(`/tasks/${done}/complete`);
    await api.delete(`/tasks/${parent_task_id}`, { reason: "changed my mind" });
    expect((await api.get(`/tasks/${parent_task_id}`)).body).toMatchObject({
      status: "cancelled",
      error: "changed my mind",
    });
    for (const id of [child, below, below_done]) {
      const { body: told } = await api.get(`/tasks/${id}`);
      expect(told.status).toBe("cancelled");
      expect(told).not.toHaveProperty("error");
    }
    expect(await statusOf(api, done)).toBe("completed");
  });
});

describe("the list of tasks", () => {
  test("is paged, newest first, 100 at a time", async () => {
    const { api, clock } = await start();
    const made: string[] = [];
    for (let count = 0; count < 101; count += 1) {
      made.unshift(await make(api));
      clock.pass(count % 2);
    }
    const ids = ({ body: page }: { body: { data: { id: string }[] } }) =>
      page.data.map(({ id }) => id);
    const first = await api.get("/tasks");
    expect(first.body).toMatchObject({ total: 101, page: 1, per_page: 100, total_pages: 2 });
    expect(ids(first)).toEqual(made.slice(0, 100));
    expect(ids(await api.get("/tasks?page=2"))).toEqual(made.slice(100));
    expect(ids(await api.get("/tasks?page=3"))).toEqual([]);
    expect(ids(await api.get("/tasks?per_page=2&page=2"))).toEqual(made.slice(2, 4));
    for (const nonsense of ["per_page=500", "per_page=0", "per_page=x", "page=-1"]) {
      expect((await api.get(`/tasks?${nonsense}`)).body).toMatchObject({ per_page: 100, page: 1 });
    }
  });

  test("is filtered by the exact status alone", async () => {
    const { api } = await start();
    const started = await make(api);
    await make(api);
    await api.post(`/tasks/${started}/start`);
    const total = async (query: string) => (await api.get(`/tasks?${query}`)).body.total;
    expect(await total("status=in_progress")).toBe(1);
    expect(await total("status=in_prog")).toBe(0);
    expect(await total("status=nonsense")).toBe(0);
    expect(await total("agent_name=nobody&source=nowhere")).toBe(2);
  });

  test("is empty before there are any", async () => {
    const { api } = await start();
    expect((await api.get("/tasks")).body).toEqual({
      data: [],
      total: 0,
      page: 1,
      per_page: 100,
      total_pages: 0,
    });
  });
});

describe("the life of a task", () => {
  test("runs from draft to completed, each step with its time and an empty answer", async () => {
    const { api, clock } = await start();
    const id = await make(api, { require_approval: true });
    const step = async (path: string, fields?: object) => {
      clock.pass(60_000);
      const answer = await api.post(`/tasks/${id}/${path}`, fields);
      expect(answer).toMatchObject({ status: 200, text: "" });
    };
    await step("approve");
    await step("start");
    await step("complete", { result: "Here it is." });
    expect((await api.get(`/tasks/${id}`)).body).toMatchObject({
      status: "completed",
      result: "Here it is.",
      approved_at: "2026-03-01T12:01:00Z",
      started_at: "2026-03-01T12:02:00Z",
      completed_at: "2026-03-01T12:03:00Z",
    });
  });

  test("ends in failed with a reason, which must be given", async () => {
    const { api } = await start();
    const id = await make(api);
    await api.post(`/tasks/${id}/start`);
    for (const wrong of [undefined, {}, { reason: "" }, { reason: 7 }]) {
      expect((await api.post(`/tasks/${id}/fail`, wrong)).status).toBe(400);
    }
    expect(await api.post(`/tasks/${id}/fail`, { reason: "no paper" })).toMatchObject({
      status: 200,
      text: "",
    });
    expect((await api.get(`/tasks/${id}`)).body).toMatchObject({
      status: "failed",
      error: "no paper",
      completed_at: "2026-03-01T12:00:00Z",
    });
  });

  test("ends in cancelled, with or without a reason", async () => {
    const { api } = await start();
    const id = await make(api);
    expect((await api.delete(`/tasks/${id}`, { reason: 7 })).status).toBe(400);
    expect((await api.delete(`/tasks/${id}`, "{")).status).toBe(400);
    expect(await api.delete(`/tasks/${id}`)).toMatchObject({ status: 200, text: "" });
    expect((await api.get(`/tasks/${id}`)).body).not.toHaveProperty("error");
  });

  test.each([
    ["complete", "pending", "it can become in_progress or cancelled"],
    ["approve", "pending", "cannot become approved"],
    ["fail", "pending", "cannot become failed"],
  ])("refuses to %s what is %s, and says what is possible", async (action, status, message) => {
    const { api } = await start();
    const id = await make(api);
    const refused = await api.post(`/tasks/${id}/${action}`, { reason: "r" });
    expect(refused).toMatchObject({ status: 409, body: { error: "conflict" } });
    expect(refused.body.message).toContain(status);
    expect(refused.body.message).toContain(message);
    expect(await statusOf(api, id)).toBe(status);
  });

  test("does not begin before a draft is approved", async () => {
    const { api } = await start();
    const id = await make(api, { require_approval: true });
    expect((await api.post(`/tasks/${id}/start`)).status).toBe(409);
  });

  test("is over when it is over: nothing changes it any more", async () => {
    const { api } = await start();
    const id = await make(api);
    await api.delete(`/tasks/${id}`, { reason: "first" });
    for (const action of ["approve", "start", "complete", "fail"]) {
      expect((await api.post(`/tasks/${id}/${action}`, { reason: "r" })).status).toBe(409);
    }
    expect((await api.delete(`/tasks/${id}`, { reason: "second" })).status).toBe(409);
    expect((await api.get(`/tasks/${id}`)).body.error).toBe("first");
  });

  test("may have its priority changed at any time, which is no change of status", async () => {
    const { api } = await start();
    const id = await make(api);
    expect(await api.post(`/tasks/${id}/priority`, { priority: 2 })).toMatchObject({
      status: 200,
      text: "",
    });
    expect((await api.get(`/tasks/${id}`)).body).toMatchObject({ priority: 2, status: "pending" });
    for (const priority of [3, -1, "1", 1.5, null, undefined]) {
      expect((await api.post(`/tasks/${id}/priority`, { priority })).status).toBe(400);
    }
  });

  test("may begin by hand although a blocker has not ended", async () => {
    const { api } = await start();
    const blocker = await make(api);
    const id = await make(api, { blocked_by: [blocker] });
    expect((await api.post(`/tasks/${id}/start`)).status).toBe(200);
  });
});

describe("the routes of tasks", () => {
  const routes: [keyof Caller & ("get" | "post" | "delete"), string, object | undefined][] = [
    ["get", "", undefined],
    ["delete", "", {}],
    ["get", "/subtasks", undefined],
    ["post", "/approve", {}],
    ["post", "/start", {}],
    ["post", "/complete", {}],
    ["post", "/fail", { reason: "r" }],
    ["post", "/priority", { priority: 1 }],
  ];

  test.each(routes)("%s /tasks/{id}%s: a wrong id is 400, an unknown one 404", async (...row) => {
    const [method, path, fields] = row;
    const { api } = await start();
    const send = (id: string) => api[method](`/tasks/${id}${path}`, fields);
    expect(await send("seven")).toMatchObject({ status: 400, body: { error: "bad_request" } });
    expect(await send(NOBODY)).toMatchObject({ status: 404, body: { error: "not_found" } });
  });

  test("need the scope tasks", async () => {
    const { as, asUser } = await start();
    expect((await (await as("nobody")).get("/tasks")).status).toBe(401);
    const other = await (await as(["chat"])).get("/tasks");
    expect(other).toMatchObject({ status: 403, body: { error: "forbidden" } });
    expect(other.body.message).toContain("tasks");
    expect((await (await asUser("ann")).get("/tasks")).status).toBe(403);
    expect((await (await as(["api"])).get("/tasks")).status).toBe(200);
  });

  test("show a token what another one made: the scope is for all tasks", async () => {
    const { as, api } = await start();
    const id = await make(api);
    expect((await (await as(["tasks"])).get(`/tasks/${id}`)).status).toBe(200);
  });
});
