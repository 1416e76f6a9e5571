import { describe, expect, test } from "vitest";
import { manageTasks } from "#engine/tools/manage-tasks.ts";
import { startChatApp } from "../support/chat.ts";
import { toolContext } from "../support/tool-context.ts";
import { ask } from "../support/turns.ts";

const SESSION = "55555555-5555-4555-8555-555555555555";
const NOBODY = "44444444-4444-4444-8444-444444444444";

/** The tool on a real store, without a model between. */
async function start() {
  const app = await startChatApp();
  const { id: agent_id } = (await app.admin.get("/agents/helper")).body;
  let calls = 0;
  const call = async (input: object, fields: object = {}): Promise<string> => {
    calls += 1;
    const { read, write } = app.store;
    const place = {
      read,
      write,
      session_id: SESSION,
      agent_id,
      call_id: `call${calls}`,
      ...fields,
    };
    const outcome = await manageTasks.execute(manageTasks.input.parse(input), toolContext(place));
    return "content" in outcome ? outcome.content : "";
  };
  /** Creates a task and returns its id. */
  const make = async (fields: object = {}): Promise<string> =>
    idIn(await call({ action: "create", title: "Write", ...fields }));
  const get = async (id: string) => (await app.admin.get(`/tasks/${id}`)).body;
  return { ...app, call, make, get, agent_id };
}

const idsIn = (text: string): string[] => text.match(/[0-9a-f-]{36}/g) ?? [];
const idIn = (text: string): string => idsIn(text)[0] ?? "";

describe("manage_tasks", () => {
  test("is a tool that agents can be given", async () => {
    const { admin } = await startChatApp();
    const { body } = await admin.get("/tools/metadata");
    expect(body).toContainEqual(
      expect.objectContaining({ name: "manage_tasks", security_zone: "safe" }),
    );
  });

  test("lets a model plan and work off its tasks, in its session alone", async () => {
    const step = (id: string, input: object) => ({ calls: [{ id, tool: "manage_tasks", input }] });
    const { admin, model } = await startChatApp(
      [
        step("1", {
          action: "create",
          tasks: [{ title: "Read" }, { title: "Write", priority: 2 }],
        }),
        step("2", { action: "get_next" }),
        { text: "Planned." },
        step("3", { action: "list" }),
        { text: "There are none here." },
      ],
      { tools: ["manage_tasks"] },
    );
    const { frames } = await ask(admin, { message: "plan" });
    const results = frames.filter(({ event }) => event === "tool_result");
    expect(results.map(({ data }) => data.has_error)).toEqual([false, false]);
    expect(results[0]?.data.content).toMatch(/^Created 2 tasks:\n- \[pending\] Read/);
    expect(results[1]?.data.content).toContain("Write");
    const elsewhere = await ask(admin, { message: "list" });
    expect(elsewhere.one("tool_result").content).toBe("There are no tasks.");
    expect(model.calls[0]?.tools?.[0]?.name).toBe("manage_tasks");
    expect((await admin.get("/tasks")).body.total).toBe(2);
  });

  test("tells what went wrong as an error that the model reads", async () => {
    const input = { action: "get", task_id: NOBODY };
    const call = { id: "1", tool: "manage_tasks", input };
    const { admin } = await startChatApp([{ calls: [call] }, { text: "Sorry." }], {
      tools: ["manage_tasks"],
    });
    const { one } = await ask(admin, { message: "get it" });
    expect(one("tool_result")).toMatchObject({
      has_error: true,
      content: `[ERROR] task not found: ${NOBODY}`,
    });
  });

  test("creates with every field, for the agent that asks", async () => {
    const { call, make, get, store, agent_id } = await start();
    const blocker = await make();
    const text = await call({
      action: "create",
      require_approval: true,
      tasks: [
        {
          title: "A",
          description: "d",
          acceptance_criteria: ["c"],
          priority: 1,
          blocked_by: [blocker],
        },
        { title: "B" },
      ],
    });
    const [a = "", b = ""] = idsIn(text);
    expect(await get(a)).toMatchObject({
      title: "A",
      description: "d",
      acceptance_criteria: ["c"],
      priority: 1,
      blocked_by: [blocker],
      status: "draft",
    });
    expect((await get(b)).status).toBe("draft");
    expect(await store.read.tasks.get(b)).toMatchObject({ agent_id, session_id: SESSION });
  });

  test("creates nothing twice when its call is repeated after a crash", async () => {
    const { call, admin } = await start();
    const input = { action: "create", tasks: [{ title: "A" }, { title: "B" }] };
    const first = await call(input, { call_id: "same" });
    expect(await call(input, { call_id: "same" })).toBe(first);
    expect((await admin.get("/tasks")).body.total).toBe(2);
  });

  test("takes tasks that are written as JSON text", async () => {
    const decoded = manageTasks.decode?.({ action: "create", tasks: '[{"title":"A"}]' });
    expect(manageTasks.input.parse(decoded)).toMatchObject({ tasks: [{ title: "A" }] });
    const broken = manageTasks.decode?.({ action: "create", tasks: "[{" });
    expect(manageTasks.input.safeParse(broken).success).toBe(false);
  });

  test("creates subtasks, and lists them", async () => {
    const { call, make } = await start();
    const parent_task_id = await make();
    const child = idIn(await call({ action: "create_subtask", parent_task_id, title: "Part" }));
    expect(await call({ action: "list_subtasks", task_id: parent_task_id })).toContain(child);
    expect(await call({ action: "list_subtasks", task_id: child })).toContain("no subtasks");
    expect(await call({ action: "get", task_id: child })).toContain(parent_task_id);
  });

  test("moves a task through its life", async () => {
    const { call, make, get } = await start();
    const task_id = await make({ require_approval: true });
    for (const [action, status] of [
      ["approve", "approved"],
      ["start", "in_progress"],
    ]) {
      expect(await call({ action, task_id })).toContain(`[${status}]`);
    }
    await call({ action: "complete", task_id, result: "Here." });
    expect(await get(task_id)).toMatchObject({ status: "completed", result: "Here." });
    const failing = await make();
    await call({ action: "start", task_id: failing });
    await expect(call({ action: "fail", task_id: failing })).rejects.toThrow("reason is required");
    await call({ action: "fail", task_id: failing, reason: "no" });
    expect(await get(failing)).toMatchObject({ status: "failed", error: "no" });
    const cancelled = await make();
    await call({ action: "cancel", task_id: cancelled, reason: "later" });
    expect(await get(cancelled)).toMatchObject({ status: "cancelled", error: "later" });
  });

  test("sets a status by the same rules; what it is already is no error", async () => {
    const { call, make } = await start();
    const task_id = await make();
    const set = (status: string, more = {}) =>
      call({ action: "set_status", task_id, status, ...more });
    await expect(set("completed")).rejects.toThrow("cannot become completed");
    await expect(set("draft")).rejects.toThrow("it can only begin so");
    expect(await set("in_progress")).toContain("Changed");
    expect(await set("in_progress")).toContain("It was so already");
    expect(await set("needs_input")).toContain("[needs_input]");
    expect(await set("in_progress")).toContain("[in_progress]");
    expect(await set("completed", { result: "r" })).toContain("[completed]");
    await expect(set("cancelled")).rejects.toThrow("nothing can change it");
  });

  test("updates, ranks and assigns what has not ended", async () => {
    const { call, make, get, store, admin } = await start();
    const task_id = await make();
    await call({ action: "update", task_id, title: "New", description: "d", priority: 1 });
    expect(await get(task_id)).toMatchObject({ title: "New", description: "d", priority: 1 });
    await call({ action: "set_priority", task_id, priority: 2 });
    expect((await get(task_id)).priority).toBe(2);
    const { body: other } = await admin.post("/agents", { name: "clerk", system: "Write." });
    await call({ action: "assign", task_id, agent_id: "clerk" });
    expect((await store.read.tasks.get(task_id))?.agent_id).toBe(other.id);
    await expect(call({ action: "assign", task_id, agent_id: "nobody" })).rejects.toThrow("agent");
    await expect(call({ action: "update", task_id })).rejects.toThrow("nothing to update");
    await call({ action: "cancel", task_id });
    await expect(call({ action: "set_priority", task_id, priority: 0 })).rejects.toThrow(
      "the task is cancelled",
    );
  });

  test("refuses blockers that would have a task wait for itself", async () => {
    const { call, make, get } = await start();
    const a = await make();
    const b = await make({ blocked_by: [a] });
    const c = await make({ blocked_by: [b] });
    const update = (task_id: string, blocked_by: string[]) =>
      call({ action: "update", task_id, blocked_by });
    await expect(update(a, [c])).rejects.toThrow("would wait for itself");
    await expect(update(a, [a])).rejects.toThrow("would wait for itself");
    await update(c, [a]);
    expect((await get(c)).blocked_by).toEqual([a]);
    await update(c, []);
    expect(await call({ action: "get_ready" })).toContain(c);
  });

  test("tells what is ready and what is next: first what is begun, then by priority", async () => {
    const { call, make } = await start();
    const next = async () => idIn(await call({ action: "get_next" }));
    expect(await next()).toBe("");
    expect(await call({ action: "get_ready" })).toBe("No task is ready.");
    const plain = await make();
    const high = await make({ priority: 1 });
    await make({ priority: 2, require_approval: true });
    const blocked = await make({ priority: 2, blocked_by: [plain] });
    const ready = async () => idsIn(await call({ action: "get_ready" }));
    expect(await ready()).toEqual([high, plain]);
    expect(await next()).toBe(high);
    await call({ action: "start", task_id: plain });
    expect(await next()).toBe(plain);
    await call({ action: "fail", task_id: plain, reason: "no" });
    expect(await ready(), "a blocker that ended holds nothing up").toEqual([blocked, high]);
  });

  test("knows nothing of other sessions' tasks", async () => {
    const { call, make } = await start();
    const task_id = await make();
    const elsewhere = { session_id: NOBODY };
    expect(await call({ action: "list" }, elsewhere)).toBe("There are no tasks.");
    for (const input of [
      { action: "get", task_id },
      { action: "start", task_id },
      { action: "update", task_id, title: "x" },
      { action: "list_subtasks", task_id },
      { action: "create_subtask", parent_task_id: task_id, title: "x" },
      { action: "create", title: "x", blocked_by: [task_id] },
    ]) {
      await expect(call(input, elsewhere)).rejects.toThrow(`task not found: ${task_id}`);
    }
  });

  test("lists by status", async () => {
    const { call, make } = await start();
    await make();
    const task_id = await make();
    await call({ action: "start", task_id });
    expect(idsIn(await call({ action: "list", status: "in_progress" }))).toEqual([task_id]);
    expect(idsIn(await call({ action: "list" }))).toHaveLength(2);
  });
});
