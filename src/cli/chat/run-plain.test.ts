import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { WireEvent, WireFrame } from "#engine/events/wire.ts";
import { runPlainChat } from "./run-plain.ts";

type Scripted = WireEvent | Error | Promise<WireEvent>;

async function* stream(events: readonly Scripted[]): AsyncGenerator<WireFrame> {
  for (const [id, event] of events.entries()) {
    if (event instanceof Error) throw event;
    yield { ...(await event), id, turn_id: "turn" };
  }
}

async function run(
  events: readonly Scripted[],
  { json = false, terminal = false, place = "http://x.test" } = {},
) {
  const stdout = new PassThrough();
  const stderr = Object.assign(new PassThrough(), { isTTY: terminal });
  const code = await runPlainChat({
    turn: { session_id: "s1", frames: stream(events) },
    json,
    place,
    schema: "support",
    resume_command: "troupe chat support --session s1",
    stdout,
    stderr,
  });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: await text(stderr) };
}

const delta = (content: string): WireEvent => ({ event: "message_delta", data: { content } });
const message = (content: string): WireEvent => ({ event: "message", data: { content } });
const done: WireEvent = { event: "done", data: { session_id: "s1", total_tokens: 7 } };
const failure: WireEvent = {
  event: "error",
  data: { code: "model_error", content: "no model", message: "no model" },
};
const call: WireEvent = {
  event: "tool_call",
  data: { tool: "search", call_id: "c1", arguments: { q: "x" }, input: '{"q":"x"}' },
};
const result = {
  event: "tool_result",
  data: { tool: "search", call_id: "c1", content: "found", summary: "found", has_error: false },
} satisfies WireEvent;
const source = (number: number) => ({
  number,
  file_name: "router.pdf",
  file_id: "f1",
  knowledge_base: "manuals",
  page: number + 1,
  start: 0,
  end: 10,
  excerpt: "It says so.",
});
const found: WireEvent = {
  event: "tool_result",
  data: { ...result.data, citations: [source(1), source(2)] },
};
const form: WireEvent = {
  event: "interrupt_request",
  data: {
    interrupt_id: "i1",
    content: JSON.stringify({
      interrupt_id: "i1",
      kind: "structured_output",
      schema: {
        title: "Your order",
        questions: [
          { id: "size", label: "Size?", type: "select", options: [{ label: "Large", value: "l" }] },
        ],
      },
    }),
  },
};
const confirmation: WireEvent = {
  event: "confirmation",
  data: { call_id: "c1", tool: "delete", content: 'call delete with {"id":7}', session_id: "s1" },
};

describe("text", () => {
  test("is the answer and a line end, and nothing else", async () => {
    expect(await run([delta("Hel"), delta("lo"), message("Hello"), done])).toEqual({
      code: 0,
      stdout: "Hello\n",
      stderr: "",
    });
    expect((await run([message("Hello\n"), done])).stdout).toBe("Hello\n");
    expect((await run([delta("Hel"), message("Hello"), done])).stdout).toBe("Hello\n");
  });

  test("parts what was said before a tool from what came after", async () => {
    const events = [
      delta("Let me see."),
      message("Let me see."),
      call,
      result,
      delta("Found."),
      message("Found."),
      done,
    ];
    expect(await run(events)).toEqual({ code: 0, stdout: "Let me see.\nFound.\n", stderr: "" });
    expect((await run([delta("A"), call, message("A"), result, delta("B"), done])).stdout).toBe(
      "A\nB\n",
    );
  });

  test("tells of tools on a terminal's stderr", async () => {
    expect((await run([call, result, message("ok"), done], { terminal: true })).stderr).toMatch(
      /^✓ search {2}q=x {2}0\.0s\n$/,
    );
  });

  test("has its sources on stderr, so that the answer stands alone", async () => {
    const events = [call, found, message("Two years [2]."), done];
    expect(await run(events)).toEqual({
      code: 0,
      stdout: "Two years [2].\n",
      stderr: "Sources\n[2] router.pdf · page 3\n",
    });
  });

  test("is harmless, wherever a sequence is cut", async () => {
    const events = [
      delta("a\u001B"),
      delta("]52;c;eA="),
      delta("=\u0007b\u001B[3"),
      delta("1mc\u202E"),
      delta("\u009B2Jd"),
      done,
    ];
    expect((await run(events)).stdout).toBe("abcd\n");
  });
});

describe("the exit code", () => {
  test("is 1 after an error, with one clear line", async () => {
    expect(await run([delta("Hal"), failure])).toEqual({
      code: 1,
      stdout: "Hal\n",
      stderr: "troupe: no model\n",
    });
  });

  test("is 1 when the stream was cut or broke", async () => {
    expect(await run([delta("Hal")])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("before the answer was complete"),
    });
    expect(await run([delta("Hal"), new Error("socket closed")])).toMatchObject({
      code: 1,
      stderr: "troupe: socket closed\n",
    });
  });

  test("is one of its own for a turn that paused, with what is asked on stderr", async () => {
    const { code, stderr } = await run([form, done]);
    expect(code).toBe(3);
    expect(stderr).toContain("Your order");
    expect(stderr).toContain("POST http://x.test/api/v1/schemas/support/chat");
    expect(stderr).toContain('"interrupt_id":"i1"');
    expect(stderr).toContain("troupe chat support --session s1");
  });

  test("waits for an approval, says for which one and how it is given", async () => {
    const { code, stdout, stderr } = await run([confirmation, message("Deleted."), done]);
    expect(code).toBe(0);
    expect(stdout).toBe("Deleted.\n");
    expect(stderr).toContain("Approval needed: delete");
    expect(stderr).toContain('call delete with {"id":7}');
    expect(stderr).toContain("Waiting for this approval.");
    expect(stderr).toContain("troupe chat support --session s1");
    expect(stderr).toContain("POST http://x.test/api/v1/sessions/s1/respond");
  });

  test("is the same for an approval that nobody can give while this command runs the agents", async () => {
    const waiting = new Promise<WireEvent>(() => undefined);
    const alone = { place: "/var/lib/troupe", json: true };
    const { code, stdout, stderr } = await run([confirmation, waiting], alone);
    expect(code).toBe(3);
    expect(stderr).toContain("The turn waits for this approval, and this command");
    expect(stderr).toContain("troupe chat support --session s1");
    const result = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    expect(result.paused).toMatchObject({ kind: "confirmation", call_id: "c1", tool: "delete" });
    expect(result.error).toBeUndefined();
  });

  test("is 0 for what is only shown", async () => {
    const content = JSON.stringify({
      schema: { title: "Order", rows: [{ label: "a", value: 1 }] },
    });
    const shown: WireEvent = { event: "interrupt_request", data: { interrupt_id: "i2", content } };
    expect((await run([shown, message("Here."), done])).code).toBe(0);
  });
});

describe("json", () => {
  const lines = (stdout: string) =>
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));

  test("begins with the session, gives every event, ends with the result", async () => {
    const { code, stdout, stderr } = await run([call, result, delta("Hi"), message("Hi"), done], {
      json: true,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const [first, ...rest] = lines(stdout);
    expect(first).toEqual({ event: "session", session_id: "s1" });
    expect(rest.map(({ event }) => event)).toEqual([
      "tool_call",
      "tool_result",
      "message_delta",
      "message",
      "done",
      "result",
    ]);
    expect(rest[2]).toEqual({ event: "message_delta", id: 2, content: "Hi" });
    expect(rest.at(-1)).toEqual({
      event: "result",
      session_id: "s1",
      message: "Hi",
      tool_calls: [
        { tool: "search", call_id: "c1", input: '{"q":"x"}', output: "found", has_error: false },
      ],
      usage: { total_tokens: 7 },
    });
  });

  test("has the sources in the result", async () => {
    const { stdout, stderr } = await run([call, found, message("So [1]."), done], { json: true });
    expect(lines(stdout).at(-1)).toMatchObject({ sources: [{ number: 1, page: 2 }] });
    expect(stderr).toBe("");
  });

  test("says in the result what went wrong and what came until then", async () => {
    const { code, stdout } = await run([delta("Hal")], { json: true });
    expect(code).toBe(1);
    expect(lines(stdout).at(-1)).toMatchObject({
      event: "result",
      message: "Hal",
      error: { code: "connection_lost" },
    });
    expect(lines((await run([failure], { json: true })).stdout).at(-1)).toMatchObject({
      error: { code: "model_error", message: "no model" },
    });
  });

  test("says in the result that the turn paused, and for what", async () => {
    const { code, stdout } = await run([form, done], { json: true });
    expect(code).toBe(3);
    expect(lines(stdout).at(-1)).toMatchObject({
      paused: { interrupt_id: "i1", kind: "structured_output", schema: { title: "Your order" } },
    });
  });

  test("says so, too, when an approval was answered meanwhile", async () => {
    const data = { interrupt_id: "c1", content: '{"payload":{"answers":["approve"]}}' };
    const answered = { event: "interrupt_resume", data } as const;
    const { stdout } = await run([form, answered, done], { json: true });
    expect(lines(stdout).at(-1)).toMatchObject({ paused: { interrupt_id: "i1" } });
  });

  test("prints nothing a terminal obeys", async () => {
    const { stdout } = await run([delta("\u009B2J\u202E\u001B[H"), done], { json: true });
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202E]/u);
    expect(lines(stdout)[1].content).toBe("\u009B2J\u202E\u001B[H");
  });
});
