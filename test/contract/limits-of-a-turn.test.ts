import { describe, expect, test } from "vitest";
import { z } from "zod";
import { EngineError } from "#engine/kernel/error.ts";
import { defineTool, errorResult, type Tool } from "#engine/tools/tool.ts";
import { startChatApp } from "../support/chat.ts";
import { createClock } from "../support/clock.ts";
import type { ScriptedModel, Step } from "../support/scripted-model.ts";
import { ask, read } from "../support/turns.ts";

const ABOUT = { description: "A test's.", security_zone: "safe", retry: "safe" } as const;
const input = z.looseObject({ n: z.number().optional() });

const tool = (name: string, execute: Tool["execute"], more: Partial<Tool> = {}): Tool =>
  defineTool({ ...ABOUT, name, input, execute, ...more } as Parameters<typeof defineTool>[0]);

const look = tool("look", async () => ({ content: "Nothing new." }));
const fail = tool("fail", async () => errorResult("no luck"));

const call = (name: string, n: number, args: object = { n }) => ({
  calls: [{ id: `${name}${n}`, tool: name, input: args }],
});
const times = (count: number, make: (n: number) => Step): Step[] =>
  Array.from({ length: count }, (_, n) => make(n));

const withTools = (steps: Step[], tools: readonly Tool[], agent: object = {}) =>
  startChatApp(steps, { tools: tools.map(({ name }) => name), ...agent }, { tools });

/** The notes that each model call was given, in order. */
const notesOf = ({ calls }: ScriptedModel): string[][] =>
  calls.map(({ prompt }) =>
    prompt.flatMap(({ role, content }) => {
      const [part] = role === "user" ? content : [];
      return part?.type === "text" && part.text.startsWith("[Note") ? [part.text] : [];
    }),
  );

describe("a tool call", () => {
  test("of a tool that is not there tells which are", async () => {
    const { admin } = await withTools([call("launch", 1), { text: "Sorry." }], [look, fail]);
    const { one } = await ask(admin, { message: "go" });
    expect(one("tool_result")).toMatchObject({
      has_error: true,
      content: '[ERROR] there is no tool "launch"; available: look, fail',
    });
    expect(one("message").content).toBe("Sorry.");
  });

  test("of a listed tool that does not exist is like that, and the rest is offered", async () => {
    const { admin, model } = await withTools([{ text: "Hi." }], [look], {
      tools: ["gone", "look"],
    });
    await ask(admin, { message: "go" });
    expect(model.calls[0]?.tools?.map(({ name }) => name)).toEqual(["look"]);
  });

  test("that takes too long is given up, and the tool is told to stop", async () => {
    let signal: AbortSignal | undefined;
    const slow = tool(
      "slow",
      (_input, ctx) => {
        signal = ctx.signal;
        return new Promise(() => {});
      },
      { timeout_ms: 1 },
    );
    const { admin } = await withTools([call("slow", 1), { text: "Too slow." }], [slow]);
    const { one } = await ask(admin, { message: "go" });
    expect(one("tool_result")).toMatchObject({
      has_error: true,
      content: "[ERROR] tool_timeout: slow exceeded 1ms",
    });
    expect(one("message").content).toBe("Too slow.");
    expect(signal?.aborted).toBe(true);
  });

  test("that is refused by the engine is an error that the model reads", async () => {
    const refused = new EngineError("not_found", "there is no such page");
    const broken = tool("broken", () => Promise.reject(refused));
    const { admin, model } = await withTools([call("broken", 1), { text: "Oh." }], [broken]);
    const { one } = await ask(admin, { message: "go" });
    const content = "[ERROR] there is no such page";
    expect(one("tool_result")).toMatchObject({ has_error: true, content });
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain("there is no such page");
  });

  test("that throws anything else is an error that keeps the bug's words to itself", async () => {
    const broken = tool("broken", () => Promise.reject(new Error("/etc/secret is missing")));
    const { admin } = await withTools([call("broken", 1), { text: "Oh." }], [broken]);
    const { one } = await ask(admin, { message: "go" });
    expect(one("tool_result").has_error).toBe(true);
    expect(one("tool_result").content).toMatch(/^\[ERROR\] broken failed/);
    expect(one("tool_result").content).not.toContain("secret");
    expect(one("message").content).toBe("Oh.");
  });

  test("with a result that is too long is cut, and says so", async () => {
    const long = tool("long", async () => ({ content: "x".repeat(150_000) }));
    const { admin, model } = await withTools([call("long", 1), { text: "Long." }], [long], {
      max_context_size: 1_000_000,
    });
    const { one } = await ask(admin, { message: "go" });
    const cut = `${"x".repeat(100_000)}\n[… 50000 characters cut]`;
    expect(one("tool_result").content).toBe(cut);
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain("[… 50000 characters cut]");
  });

  test("that hears of nothing does not hold a turn that is stopped", async () => {
    const started = Promise.withResolvers<void>();
    const deaf = tool("deaf", () => {
      started.resolve();
      return new Promise(() => {});
    });
    const { admin } = await withTools([call("deaf", 1)], [deaf]);
    const response = await admin.open("/schemas/support/chat", { message: "go" });
    await started.promise;
    const session_id = response.headers.get("X-Session-Id");
    expect((await admin.post(`/sessions/${session_id}/cancel`)).body.status).toBe("cancelled");
    const { frames, one } = await read(response);
    expect(one("tool_result")).toMatchObject({ has_error: true });
    expect(frames.at(-1)).toMatchObject({ event: "error", data: { code: "cancelled" } });
  });
});

describe("several calls of one step", () => {
  const both = { calls: [1, 2].map((n) => ({ id: `c${n}`, tool: "meet", input: { n } })) };

  test("run at the same time when their agent works in parallel", async () => {
    const arrived = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const meet = tool("meet", async (given) => {
      const { n = 0 } = given as z.infer<typeof input>;
      arrived[n - 1]?.resolve();
      // Ends only if the other one has begun.
      await arrived[2 - n]?.promise;
      return { content: `met ${n}` };
    });
    const { admin } = await withTools([both, { text: "Done." }], [meet], {
      tool_execution: "parallel",
    });
    const { frames } = await ask(admin, { message: "go" });
    const results = frames.filter(({ event }) => event === "tool_result");
    expect(results.map(({ data }) => data.content).sort()).toEqual(["met 1", "met 2"]);
  });

  test("run one after another otherwise", async () => {
    const order: string[] = [];
    const meet = tool("meet", async (given) => {
      const { n = 0 } = given as z.infer<typeof input>;
      order.push(`${n} begins`);
      await new Promise(setImmediate);
      order.push(`${n} ends`);
      return { content: `met ${n}` };
    });
    const { admin } = await withTools([both, { text: "Done." }], [meet]);
    await ask(admin, { message: "go" });
    expect(order).toEqual(["1 begins", "1 ends", "2 begins", "2 ends"]);
  });
});

describe("a turn that goes in circles", () => {
  test("with three identical calls is told twice, then has to answer", async () => {
    const steps = [...times(9, (n) => call("look", n, { n: 1 })), { text: "I give up." }];
    const { admin, model } = await withTools(steps, [look]);
    const { frames, one } = await ask(admin, { message: "go" });
    const notes = notesOf(model);
    expect(notes.map(({ length }) => length)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2, 3]);
    expect(notes[3]?.[0]).toMatch(
      /^\[Note from the system\] You called "look" 3 times with the same arguments\./,
    );
    expect(notes[9]?.[2]).toContain("Answer now with what you know");
    expect(model.calls.map(({ tools = [] }) => tools.length)).toEqual([...Array(9).fill(1), 0]);
    expect(one("message").content).toBe("I give up.");
    expect(frames.at(-1)?.event).toBe("done");
  });

  test("with four failures of one tool is told twice, then has to answer", async () => {
    const { admin, model } = await withTools(
      [...times(12, (n) => call("fail", n)), { text: "I give up." }],
      [fail],
    );
    const { frames, one } = await ask(admin, { message: "go" });
    const counts = notesOf(model).map(({ length }) => length);
    expect(counts).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3]);
    expect(notesOf(model)[4]?.[0]).toContain('"fail" failed 4 times in a row');
    expect(one("message").content).toBe("I give up.");
    expect(frames.at(-1)?.event).toBe("done");
  });

  test("is told in its messages, as the system's, but not in its stream", async () => {
    const steps = [...times(3, (n) => call("look", n, { n: 1 })), { text: "Ah." }];
    const { admin } = await withTools(steps, [look]);
    const { session_id, frames } = await ask(admin, { message: "go" });
    const { body } = await admin.get(`/sessions/${session_id}/messages`);
    const told = body.filter(({ event_type }: { event_type: string }) => event_type === "system");
    expect(told).toHaveLength(1);
    expect(told[0].payload.content).toContain("3 times with the same arguments");
    expect(frames.map(({ data }) => data.content ?? "").join()).not.toContain("3 times");
  });

  test("but not with other arguments, another tool between, or a success between failures", async () => {
    const { admin, model } = await withTools(
      [
        ...times(4, (n) => call("look", n)),
        ...times(3, (n) => call("fail", n)),
        call("look", 10),
        ...times(3, (n) => call("fail", 20 + n)),
        { text: "Found it." },
      ],
      [look, fail],
    );
    const { one } = await ask(admin, { message: "go" });
    expect(notesOf(model).flat()).toEqual([]);
    expect(one("message").content).toBe("Found it.");
  });

  test("but not with identical calls that are more than five seconds apart", async () => {
    const clock = createClock();
    const wait = tool("wait", async () => {
      clock.pass(5_001);
      return { content: "Not yet." };
    });
    const steps = [...times(6, (n) => call("wait", n, {})), { text: "Now." }];
    const app = await startChatApp(steps, { tools: ["wait"] }, { tools: [wait], now: clock.now });
    const widget = await app.as(["chat"]);
    const { one } = await ask(widget, { message: "go" });
    expect(notesOf(app.model).flat()).toEqual([]);
    expect(one("message").content).toBe("Now.");
  });

  test("counts a turn's own calls only", async () => {
    const { admin, model } = await withTools([], [look]);
    let session_id: string | undefined;
    for (const n of [1, 2, 3]) {
      model.script(call("look", n, {}), { text: "Nothing." });
      ({ session_id } = await ask(admin, { message: "look", session_id }));
    }
    expect(notesOf(model).flat()).toEqual([]);
  });
});

describe("the steps of a turn", () => {
  test("are told to end one before the last, and end with an answer", async () => {
    const steps = [...times(3, (n) => call("look", n)), { text: "So far." }];
    const { admin, model } = await withTools(steps, [look], { max_steps: 3 });
    const { one } = await ask(admin, { message: "go" });
    expect(notesOf(model)).toEqual([
      [],
      [],
      [expect.stringContaining("Only one more step with tools")],
      [expect.stringContaining("Answer now with what you know")],
    ]);
    expect(model.calls.map(({ tools = [] }) => tools.length)).toEqual([1, 1, 1, 0]);
    expect(one("message").content).toBe("So far.");
  });

  test("of a call at the limit do not run", async () => {
    let ran = 0;
    const count = tool("count", async () => ({ content: String(++ran) }));
    const steps = times(2, (n) => call("count", n));
    const { admin } = await withTools(steps, [count], { max_steps: 1 });
    const { frames, one } = await ask(admin, { message: "go" });
    expect(ran).toBe(1);
    expect(one("message").content).toContain("used up the steps");
    expect(frames.at(-1)?.event).toBe("done");
  });
});
