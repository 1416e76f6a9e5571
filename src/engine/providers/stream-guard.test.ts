import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, test, vi } from "vitest";
import { readParts } from "./stream-guard.ts";

const delta = (text: string): LanguageModelV4StreamPart => ({
  type: "text-delta",
  id: "t",
  delta: text,
});

const streamOf = (...parts: LanguageModelV4StreamPart[]) =>
  new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

const options = (fields: Partial<Parameters<typeof readParts>[1]> = {}) => ({
  idle_ms: 60_000,
  signal: new AbortController().signal,
  ...fields,
});

const opened = (stream: ReadableStream<LanguageModelV4StreamPart>) => async () => ({ stream });

describe("reading a model's stream", () => {
  test("hands over every part in order", async () => {
    const taken: LanguageModelV4StreamPart[] = [];
    const stream = streamOf(delta("a"), delta("b"));
    await readParts(opened(stream), options(), (part) => taken.push(part));
    expect(taken).toEqual([delta("a"), delta("b")]);
  });

  test("lets the first word go before it reads on", async () => {
    const taken: string[] = [];
    const stream = streamOf({ type: "text-start", id: "t" }, delta("a"), delta("b"));
    const reading = readParts(opened(stream), options(), (part) => {
      taken.push(part.type);
      if (taken.length === 2) setImmediate(() => taken.push("sent"));
    });
    await reading;
    expect(taken).toEqual(["text-start", "text-delta", "sent", "text-delta"]);
  });

  test.each([
    ["falls silent", opened(new ReadableStream())],
    ["never answers", () => new Promise<never>(() => {})],
  ])("fails with a timeout when the server %s, and ends the request", async (_what, open) => {
    vi.useFakeTimers();
    let request: AbortSignal | undefined;
    const reading = readParts(
      (signal) => {
        request = signal;
        return open();
      },
      options({ idle_ms: 5_000 }),
      () => {},
    );
    const failed = expect(reading).rejects.toMatchObject({
      code: "timeout",
      message: "the model said nothing for 5 seconds",
    });
    await vi.advanceTimersByTimeAsync(5_000);
    await failed;
    expect(request?.aborted).toBe(true);
    vi.useRealTimers();
  });

  test("stops with the signal's reason at once, also before it began", async () => {
    const abort = new AbortController();
    const guard = options({ signal: abort.signal });
    const reading = readParts(opened(new ReadableStream()), guard, () => {});
    abort.abort("cancelled");
    await expect(reading).rejects.toBe("cancelled");
    await expect(readParts(opened(streamOf()), guard, () => {})).rejects.toBe("cancelled");
  });

  test("refuses a stream that never ends", async () => {
    const endless = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (controller) => controller.enqueue(delta("x".repeat(1024 * 1024))),
    });
    const reading = readParts(opened(endless), options(), () => {});
    await expect(reading).rejects.toMatchObject({ code: "model_error" });
  });

  test.each<[string, LanguageModelV4StreamPart]>([
    [
      "arguments",
      { type: "tool-call", toolCallId: "1", toolName: "a", input: "x".repeat(1024 * 1024) },
    ],
    ["calls", { type: "tool-call", toolCallId: "1", toolName: "a", input: "{}" }],
  ])("refuses %s without an end", async (_what, part) => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(part) });
    const reading = readParts(opened(endless), options(), () => {});
    await expect(reading).rejects.toMatchObject({ code: "model_error" });
  });

  test("opens the stream again when the server is busy, unless it is not to", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const busy = () => Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    const failures = [busy(), busy(), busy()];
    const open = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
      return { stream: streamOf(delta("a")) };
    };
    await expect(readParts(open, options({ without_retries: true }), () => {})).rejects.toThrow();
    expect(failures).toHaveLength(2);
    const taken: LanguageModelV4StreamPart[] = [];
    const reading = readParts(open, options(), (part) => taken.push(part));
    await vi.advanceTimersByTimeAsync(30_000);
    await reading;
    expect(taken).toEqual([delta("a")]);
    vi.useRealTimers();
  });

  test("never opens it again once it said something", async () => {
    let opens = 0;
    const open = async () => {
      opens += 1;
      const failure = Object.assign(new Error("cut"), { code: "ECONNRESET" });
      const pull = (controller: ReadableStreamDefaultController) => controller.error(failure);
      return { stream: new ReadableStream({ pull }) };
    };
    await expect(readParts(open, options(), () => {})).rejects.toThrow("cut");
    expect(opens).toBe(1);
  });

  test("passes on what the provider, the stream or the taker throws", async () => {
    const broken = new ReadableStream<LanguageModelV4StreamPart>({
      start: (controller) => controller.error(new Error("broken")),
    });
    await expect(readParts(opened(broken), options(), () => {})).rejects.toThrow("broken");
    const refused = () => Promise.reject(new Error("refused"));
    await expect(readParts(refused, options(), () => {})).rejects.toThrow("refused");
    const taking = readParts(opened(streamOf(delta("a"))), options(), () => {
      throw new Error("full");
    });
    await expect(taking).rejects.toThrow("full");
  });
});
