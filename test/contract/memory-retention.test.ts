import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type ChatApp, startChatApp } from "../support/chat.ts";
import { ask } from "../support/turns.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** `helper` has the memory capability configured like this; time passes by the hour. */
async function withMemory(config: object): Promise<ChatApp> {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const app = await startChatApp();
  await app.admin.post("/agents/helper/capabilities", { type: "memory", config });
  return app;
}

async function setEnabled({ admin }: ChatApp, enabled: boolean): Promise<void> {
  const [{ id }] = (await admin.get("/agents/helper/capabilities")).body;
  await admin.put(`/agents/helper/capabilities/${id}`, { enabled });
}

/** Whoever asks: their sessions outlive the test's jumps in time. */
async function store(app: ChatApp, content: string, user_sub = "visitor"): Promise<void> {
  const calls = [{ id: crypto.randomUUID(), tool: "memory_store", input: { content } }];
  app.model.script({ calls }, { text: "Done." });
  const widget = await app.as(["chat"]);
  expect((await ask(widget, { message: "go", user_sub })).one("tool_result").has_error).toBe(false);
}

async function stored({ store: { read } }: ChatApp): Promise<string[]> {
  const schema = await read.schemas.getByName("support");
  const entries = await read.memory.listBySchema(schema?.id ?? "");
  return entries.map(({ content }) => content);
}

/** Time passes on the clock, then the hourly round comes. */
async function pass(app: ChatApp, milliseconds: number): Promise<void> {
  app.clock.pass(milliseconds);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  // The round is behind this write once it is done.
  await app.store.write(async () => undefined);
}

describe("a memory that may hold so many entries", () => {
  test("forgets the oldest", async () => {
    const app = await startChatApp();
    const config = { max_entries: 2 };
    await app.admin.post("/agents/helper/capabilities", { type: "memory", config });
    const ann = await app.asUser("ann");
    for (const content of ["one", "two", "three"]) {
      const calls = [{ id: content, tool: "memory_store", input: { content } }];
      app.model.script({ calls }, { text: "Done." });
      await ask(ann, { message: "go" });
    }
    expect(await stored(app)).toEqual(["three", "two"]);
  });

  test("counts each person's alone", async () => {
    const app = await startChatApp();
    const config = { max_entries: 1 };
    await app.admin.post("/agents/helper/capabilities", { type: "memory", config });
    for (const name of ["ann", "bob"]) {
      for (const turn of [1, 2]) {
        const input = { content: `${name} ${turn}` };
        const calls = [{ id: `${name}${turn}`, tool: "memory_store", input }];
        app.model.script({ calls }, { text: "Done." });
        await ask(await app.asUser(name), { message: "go" });
      }
    }
    expect(await stored(app)).toEqual(["bob 2", "ann 2"]);
  });

  test.each([[{}], [{ max_entries: 0 }]])("is unlimited with %j", async (config) => {
    const app = await startChatApp();
    await app.admin.post("/agents/helper/capabilities", { type: "memory", config });
    for (const content of ["one", "two", "three"]) await store(app, content);
    expect(await stored(app)).toEqual(["three", "two", "one"]);
  });
});

describe("a memory that is kept for so many days", () => {
  test("forgets what is older within the hour", async () => {
    const app = await withMemory({ retention_days: 2 });
    await store(app, "old");
    await pass(app, DAY_MS);
    await store(app, "young");
    await pass(app, DAY_MS);
    expect(await stored(app)).toEqual(["young", "old"]);
    await pass(app, 1);
    expect(await stored(app)).toEqual(["young"]);
  });

  test("forgets it at the start, too", async () => {
    const app = await withMemory({ retention_days: 2 });
    await store(app, "old");
    app.clock.pass(2 * DAY_MS + 1);
    await app.engine.stop(0);
    await app.engine.start();
    expect(await stored(app)).toEqual([]);
  });

  test.each([
    ["without a number of days", {}],
    ["with zero days", { retention_days: 0 }],
    ["when it is unlimited", { retention_days: 2, unlimited_retention: true }],
  ])("%s is kept for ever", async (_what, config) => {
    const app = await withMemory(config);
    await store(app, "old");
    await pass(app, 1_000 * DAY_MS);
    expect(await stored(app)).toEqual(["old"]);
  });

  test("is only that of the agent whose capability says so", async () => {
    const app = await withMemory({ retention_days: 2 });
    await store(app, "of helper");
    const second = { name: "second", system: "?", tools: ["memory_store"] };
    await app.admin.post("/agents", second);
    await app.admin.patch("/schemas/support", { entry_agent_id: "second" });
    await store(app, "of second");
    await pass(app, 3 * DAY_MS);
    expect(await stored(app)).toEqual(["of second"]);
  });

  test("is forgotten also while the capability is switched off", async () => {
    const app = await withMemory({ retention_days: 2 });
    await store(app, "old");
    await setEnabled(app, false);
    await pass(app, 3 * DAY_MS);
    expect(await stored(app)).toEqual([]);
  });
});
