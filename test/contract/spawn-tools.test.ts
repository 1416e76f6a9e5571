import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EngineError } from "#engine/kernel/error.ts";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import type { Step } from "../support/scripted-model.ts";
import { addColleague, ask, frameOf, read } from "../support/turns.ts";

const call = (id: string, input: unknown, tool = "spawn_clerk") => ({ id, tool, input });
const spawn = call("s1", { description: "the task" });

/** Spawns `clerk`, then lets `helper` make one more call; returns the results by call id. */
async function results(steps: Step[], tools: string[] = []) {
  const app = await startChatApp([...steps, { text: "Done." }], { tools });
  await addColleague(app, "clerk");
  const { frames } = await ask(app.admin, { message: "go" });
  return Object.fromEntries(
    frames.flatMap(({ event, data }) =>
      event === "tool_result" ? [[data.call_id, data.content as string]] : [],
    ),
  );
}

describe("the tool that spawns one agent", () => {
  test("spawns also when it is told to explicitly", async () => {
    const explicit = call("s1", { action: "spawn", description: "the task" });
    const { s1 } = await results([{ calls: [explicit] }, { text: "Filed." }]);
    expect(s1).toContain("Filed.");
  });

  test.each([
    ["no description", {}, "description: is required"],
    ["an empty description", { description: " " }, "description: is required"],
    ["an unknown action", { action: "clone", description: "x" }, "invalid arguments"],
  ])("%s is an error that the model reads, and nobody is spawned", async (_what, input, told) => {
    const { s1 } = await results([{ calls: [call("s1", input)] }]);
    expect(s1).toMatch(/^\[ERROR\] /);
    expect(s1).toContain(told);
  });

  test.each(["wait", "list"])("%s tells of every agent that was spawned", async (action) => {
    const { s2 } = await results([
      { calls: [spawn] },
      { text: "Filed." },
      { calls: [call("s2", { action })] },
    ]);
    expect(JSON.parse(s2 ?? "")).toEqual([
      { agent_id: "s1", agent_name: "clerk", summary: "Filed.", status: "completed" },
    ]);
  });

  test("list is empty before the first", async () => {
    const { s1 } = await results([{ calls: [call("s1", { action: "list" })] }]);
    expect(JSON.parse(s1 ?? "")).toEqual([]);
  });

  test.each(["status", "stop"])("%s tells of one agent", async (action) => {
    const { s2, s3 } = await results([
      { calls: [spawn] },
      { text: "Filed." },
      { calls: [call("s2", { action, agent_id: "s1" }), call("s3", { action, agent_id: "s9" })] },
    ]);
    expect(JSON.parse(s2 ?? "")).toMatchObject({ agent_id: "s1", status: "completed" });
    expect(s3).toBe('[ERROR] agent_id: you have spawned no agent "s9"');
  });

  test("tells that an agent has failed, and why", async () => {
    const { s2 } = await results([
      { calls: [spawn] },
      { fail: new EngineError("model_error", "the model is down") },
      { calls: [call("s2", { action: "status", agent_id: "s1" })] },
    ]);
    expect(JSON.parse(s2 ?? "")).toMatchObject({ agent_id: "s1", status: "failed" });
    expect(s2).toContain("the model is down");
  });
});

describe("the tool that spawns any agent", () => {
  const any = (id: string, agent_name: string) =>
    call(id, { agent_name, input: "the task" }, "spawn_agent");

  test("is there when it is listed, and names the agents there are", async () => {
    const app = await startChatApp([{ text: "Hi." }], { tools: ["spawn_agent"] });
    await addColleague(app, "clerk");
    await ask(app.admin, { message: "hi" });
    const tools = app.model.calls[0]?.tools ?? [];
    expect(tools.map(({ name }) => name)).toEqual(["spawn_clerk", "spawn_agent"]);
    expect(JSON.stringify(tools.at(-1))).toContain("Agents: clerk.");
  });

  test("is not there for an agent that has nobody to spawn", async () => {
    const app = await startChatApp([{ text: "Hi." }], { tools: ["spawn_agent"] });
    await ask(app.admin, { message: "hi" });
    expect(app.model.calls[0]?.tools).toBeUndefined();
  });

  test("spawns the agent it is given", async () => {
    const { s1 } = await results(
      [{ calls: [any("s1", "clerk")] }, { text: "Filed." }],
      ["spawn_agent"],
    );
    expect(s1).toBe('Agent "clerk" completed:\n\nFiled.');
  });

  test("tells whom there is when it is given a stranger", async () => {
    const { s1 } = await results([{ calls: [any("s1", "boss")] }], ["spawn_agent"]);
    expect(s1).toBe('[ERROR] there is no agent "boss"; you have: clerk');
  });
});

describe("the tool that spawns an agent with a long name", () => {
  const long = (end: string) => `${"clerk-".repeat(12)}${end}`;
  const offered = ({ model }: ChatApp) => (model.calls[0]?.tools ?? []).map(({ name }) => name);

  test("has a name that providers take, the same in each turn, that no other tool has", async () => {
    const app = await startChatApp([{ text: "Hi." }, { text: "Hi again." }]);
    const names = ["a", "b"].map(long);
    for (const name of [...names, "x".repeat(58), "x".repeat(59)]) await addColleague(app, name);
    await ask(app.admin, { message: "hi" });
    await ask(app.admin, { message: "hi" });
    const tools = offered(app);
    for (const name of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(new Set(tools).size).toBe(4);
    expect(tools).toContain(`spawn_${"x".repeat(58)}`);
    expect(app.model.calls[1]?.tools?.map(({ name }) => name)).toEqual(tools);
  });

  test("can be called by it, and tells which agent it is", async () => {
    const app = await startChatApp();
    await addColleague(app, long("a"));
    app.model.script(({ tools = [] }) => ({ calls: [{ ...spawn, tool: tools[0]?.name ?? "" }] }));
    app.model.script({ text: "Filed." }, { text: "Done." });
    const { one } = await ask(app.admin, { message: "go" });
    expect(one("tool_result").content).toBe(`Agent "${long("a")}" completed:\n\nFiled.`);
    expect(JSON.stringify(app.model.calls[0]?.tools)).toContain(`the agent \\"${long("a")}\\"`);
  });

  test.each([
    ["the whole name", "spawn_clerk", (_cut: string, whole: string) => whole],
    ["the name it is offered by", "spawn_clerk", (cut: string) => cut],
    ["the whole name, called another way", "spawn_agent", (_cut: string, whole: string) => whole],
    ["the name it is offered by, called another way", "spawn_agent", (cut: string) => cut],
  ])("waits for approval where that is asked by %s", async (_what, way, nameOf) => {
    const app = await startChatApp([{ text: "Hi." }], { tools: ["spawn_agent"] });
    await addColleague(app, long("a"));
    await ask(app.admin, { message: "hi" });
    const [cut = ""] = offered(app);
    const confirm_before = [nameOf(cut, `spawn_${long("a")}`)];
    await app.admin.patch("/agents/helper", { confirm_before });
    const any = { agent_name: long("a"), input: "the task" };
    const made = way === "spawn_agent" ? call("s1", any, way) : { ...spawn, tool: cut };
    app.model.script({ calls: [made] });
    const response = await app.admin.open("/schemas/support/chat", { message: "go" });
    const session_id = response.headers.get("X-Session-Id") ?? "";
    expect((await frameOf(app, session_id, "confirmation")).data.call_id).toBe("s1");
    await app.admin.post(`/sessions/${session_id}/cancel`);
  });
});

describe("how deep agents may spawn", () => {
  test("ends with the eighth, who has nobody to spawn", async () => {
    const app = await startChatApp();
    const names = Array.from({ length: 9 }, (_, n) => `level-${n + 1}`);
    for (const [index, name] of names.entries()) {
      await addColleague(app, name, {}, names[index - 1]);
      if (index < 8)
        app.model.script({ calls: [call(`s${index}`, { description: "x" }, `spawn_${name}`)] });
    }
    app.model.script(...names.map((name) => ({ text: name })));
    const { one } = await ask(app.admin, { message: "go" });
    const offered = app.model.calls
      .slice(0, 9)
      .map(({ tools = [] }) => tools.map(({ name }) => name));
    expect(offered).toEqual([...names.slice(0, 8).map((name) => [`spawn_${name}`]), []]);
    expect(one("message").content).toBe("level-9");
  });
});

describe("a turn whose time runs out within a sub-agent", () => {
  test("ends with an explanation, and with every call closed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const app = await startChatApp([{ calls: [spawn] }, { text: "Once upon", hold: true }], {
      max_turn_duration: 30,
    });
    await addColleague(app, "clerk");
    const response = await app.admin.open("/schemas/support/chat", { message: "go" });
    await app.model.held();
    await vi.advanceTimersByTimeAsync(30_000);
    const { frames, one, session_id } = await read(response);
    expect(one("message").content).toContain("ran out of the time");
    expect(one("tool_result")).toMatchObject({ call_id: "s1", has_error: true });
    expect(frames.at(-1)?.event).toBe("done");
    vi.useRealTimers();
    app.model.script({ text: "Fine." });
    const again = await ask(app.admin, { message: "go on", session_id });
    expect(again.one("message").content).toBe("Fine.");
  });
});
