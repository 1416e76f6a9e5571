import { describe, expect, test, vi } from "vitest";
import { adminOf, run, type Server, serve, start } from "../support/executable.ts";
import { startModelServer } from "../support/model-server.ts";

async function prepare(server: Server, base_url: string, agent: object = {}) {
  const admin = await adminOf(server);
  const model = { name: "m", type: "openai_compatible", model_name: "x", base_url };
  await admin.json("POST", "/models", model);
  await admin.json("POST", "/agents", { name: "a", model: "m", system: "Help.", ...agent });
  await admin.json("POST", "/schemas", { name: "s", entry_agent_id: "a", chat_enabled: true });
  return admin;
}

type Admin = Awaited<ReturnType<typeof adminOf>>;

const begin = async (admin: Admin, title: string, fields: object = {}): Promise<string> => {
  const body = { title, agent_name: "a", mode: "background", ...fields };
  return (await admin.json("POST", "/tasks", body)).body.task_id;
};

const reach = (admin: Admin, id: string, status: string) =>
  vi.waitFor(
    async () => {
      const { body } = await admin.json("GET", `/tasks/${id}`);
      expect(body.status, body.error).toBe(status);
      return body;
    },
    { timeout: 20_000, interval: 50 },
  );

describe("kill -9 while background tasks are worked on", () => {
  test("loses none and does none twice: the next start goes on with each", async () => {
    const model = await startModelServer({ hold: "Half a" });
    const first = await serve({ args: ["--task-concurrency", "1"] });
    const admin = await prepare(first, model.base_url);
    const working = await begin(admin, "working", { priority: 2 });
    await model.held();
    const waiting = await begin(admin, "waiting");
    const blocked = await begin(admin, "blocked", { blocked_by: [working] });
    expect((await admin.json("GET", `/tasks/${waiting}`)).body.status).toBe("pending");
    await first.kill9();

    model.release();
    model.script({ text: "First." }, { text: "Second." }, { text: "Third." });
    const second = await serve({
      data_dir: first.data_dir,
      env: { SERVICE_TASK_CONCURRENCY: "1" },
    });
    const again = await adminOf(second);
    const done = await reach(again, working, "completed");
    expect(done.result).toBe("First.");
    expect((await reach(again, waiting, "completed")).result).toBe("Second.");
    expect((await reach(again, blocked, "completed")).result).toBe("Third.");
    expect(model.requests).toHaveLength(4);
    const { body: sessions } = await again.json("GET", "/sessions");
    expect(sessions.total).toBe(3);
    const { body: messages } = await again.json("GET", `/sessions/${done.session_id}/messages`);
    expect(messages.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
      "user_message",
      "assistant_message",
    ]);
  });

  test("keeps the question of one that needs input, and its answer goes on with it", async () => {
    const input = { output_type: "form", questions: [{ id: "q", label: "Why?", type: "text" }] };
    const model = await startModelServer({ call: { tool: "show_structured_output", input } });
    const first = await serve();
    const admin = await prepare(first, model.base_url, { tools: ["show_structured_output"] });
    const id = await begin(admin, "asks");
    const { session_id } = await reach(admin, id, "needs_input");
    await first.kill9();

    model.script({ text: "Thanks." });
    const again = await adminOf(await serve({ data_dir: first.data_dir }));
    expect((await again.json("GET", `/tasks/${id}`)).body.status).toBe("needs_input");
    const { body: messages } = await again.json("GET", `/sessions/${session_id}/messages`);
    const { call_id: interrupt_id } = messages.at(-1);
    const payload = { answers: [{ question_id: "q", value: "Because" }] };
    const resume = { session_id, resume_interrupt: { interrupt_id, payload } };
    await (await again.send("POST", "/schemas/s/chat", resume)).text();
    expect((await reach(again, id, "completed")).result).toBe("Thanks.");
  });
});

test("a graceful stop lets a task end first, and begins no other", async () => {
  const model = await startModelServer({ hold: "Almost" });
  const first = await serve({ args: ["--task-concurrency", "1"] });
  const admin = await prepare(first, model.base_url);
  const running = await begin(admin, "running");
  await model.held();
  const waiting = await begin(admin, "waiting");
  const stopped = first.stop();
  await vi.waitFor(() => expect(first.output.stderr).toContain("stopping"), { timeout: 10_000 });
  model.release();
  expect(await stopped).toBe(0);

  const list = await run(["tasks", "list", "--json", "--data-dir", first.data_dir]);
  const found = JSON.parse(list.stdout).data.map((task: { id: string; status: string }) => [
    task.id,
    task.status,
  ]);
  expect(found).toEqual([
    [waiting, "pending"],
    [running, "completed"],
  ]);
});

describe("the command tasks", () => {
  test("creates, waits, shows and exits by the outcome, on a directory and on a server", async () => {
    const server = await serve({ args: ["--demo"] });
    const token = await run([
      ...["tokens", "create", "--name", "t", "--scope", "tasks"],
      ...["--data-dir", server.data_dir],
    ]);
    const remote = ["--url", server.url, "--token", token.stdout.trim()];
    for (const place of [["--data-dir", server.data_dir], remote]) {
      const create = ["tasks", "create", "echo it works", "--agent", "guide", "--background"];
      const done = await run([...create, "--wait", ...place]);
      expect(done).toMatchObject({ code: 0, stdout: "it works\n" });
      expect(done.stderr).toMatch(/completed\n$/);
      const told = JSON.parse((await run([...create, "--wait", "--json", ...place])).stdout);
      expect(told).toMatchObject({ status: "completed", result: "it works", agent_name: "" });

      const get = await run(["tasks", "get", told.id, ...place]);
      expect(get.stdout).toMatch(/^Title +echo it works\n/);
      const list = await run(["tasks", "list", "--status", "completed", ...place]);
      expect(list.stdout).toContain(told.id);
    }
  });

  test("works a task off by hand, and refuses what the state does not allow", async () => {
    const { data_dir } = await serve({ args: ["--demo"] });
    const tasks = (...args: string[]) => run(["tasks", ...args, "--data-dir", data_dir]);
    const made = await tasks("create", "Plan", "--agent", "guide", "--require-approval");
    const id = made.stdout.trim();
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining("tasks approve") });
    const early = await tasks("start", id);
    expect(early).toMatchObject({ code: 1, stdout: "" });
    expect(early.stderr).toContain("it can become approved or cancelled");
    for (const args of [
      ["approve", id],
      ["priority", id, "2"],
      ["start", id],
      ["complete", id, "--result", "Planned."],
    ]) {
      expect((await tasks(...args)).code).toBe(0);
    }
    const got = JSON.parse((await tasks("get", id, "--json")).stdout);
    expect(got).toMatchObject({ status: "completed", result: "Planned.", priority: 2 });
    const child = await tasks("create", "Late", "--agent", "guide", "--parent", id);
    expect(child).toMatchObject({ code: 1, stderr: expect.stringContaining("completed") });
    expect((await tasks("create", "Plan", "--agent", "nobody")).code).toBe(1);
    expect((await tasks("create", "Plan")).code).toBe(2);
    expect((await tasks("create", "", "--agent", "guide")).code).toBe(2);
    expect((await tasks("priority", id, "high")).code).toBe(2);
    const none = await tasks("list", "--status", "failed");
    expect(none).toMatchObject({ code: 0, stderr: "No task is failed.\n" });
    expect(await tasks("list", "--status", "faild")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs_input"),
    });
  });

  test("exits with 1 for a task that failed, and with 130 when it is interrupted", async () => {
    const model = await startModelServer({ status: 400, body: "no" }, { hold: "Half a" });
    const server = await serve();
    const admin = await prepare(server, model.base_url);
    const create = ["tasks", "create", "T", "--agent", "a", "--background", "--wait"];
    const failed = await run([...create, "--url", server.url]);
    expect(failed).toMatchObject({ code: 1, stdout: "" });
    expect(failed.stderr).toMatch(/failed: .*400/);

    const waiting = start([...create, "--url", server.url]);
    await model.held();
    waiting.interrupt();
    const interrupted = await waiting.finished;
    expect(interrupted).toMatchObject({ code: 130, stdout: "" });
    expect(interrupted.stderr).toContain("goes on without this command");
    const [task] = (await admin.json("GET", "/tasks")).body.data;
    expect(task.status).toBe("in_progress");
    const cancelled = await run(["tasks", "cancel", task.id, "--url", server.url]);
    expect(cancelled).toMatchObject({ code: 0, stderr: 'Task "T" is cancelled.\n' });
  });

  test("does a task itself where no server runs", async () => {
    const server = await serve({ args: ["--demo"] });
    await server.stop();
    const place = ["--data-dir", server.data_dir];
    const create = ["tasks", "create", "echo alone", "--agent", "guide", "--background"];
    const queued = await run([...create, ...place]);
    expect(queued).toMatchObject({ code: 0, stderr: expect.stringContaining("No server runs") });
    expect(await run([...create, "--wait", ...place])).toMatchObject({
      code: 0,
      stdout: "alone\n",
    });
  });

  test("watches as lines when there is no terminal", async () => {
    const { data_dir } = await serve({ args: ["--demo"] });
    const place = ["--data-dir", data_dir];
    await run(["tasks", "create", "Look", "--agent", "guide", ...place]);
    const watching = start(["tasks", "watch", ...place]);
    await vi.waitFor(() => expect(watching.output.stdout).toMatch(/pending +0 +Look\n$/), {
      timeout: 10_000,
    });
    watching.interrupt();
    await watching.finished;
  });
});
