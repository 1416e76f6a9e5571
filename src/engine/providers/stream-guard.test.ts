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

describe("reading a model's stream", () => {
  test("hands over every part in order", async () => {
    const taken: LanguageModelV4StreamPart[] = [];
    await readParts(streamOf(delta("a"), delta("b")), options(), (part) => taken.push(part));
    expect(taken).toEqual([delta("a"), delta("b")]);
  });

  test("fails with a timeout when the stream falls silent, and lets go of it", async () => {
    vi.useFakeTimers();
    const cancel = vi.fn();
    const silent = new ReadableStream<LanguageModelV4StreamPart>({ cancel });
    const reading = expect(
      readParts(silent, options({ idle_ms: 5_000 }), () => {}),
    ).rejects.toMatchObject({
      code: "timeout",
      message: "the model said nothing for 5 seconds",
    });
    await vi.advanceTimersByTimeAsync(5_000);
    await reading;
    expect(cancel).toHaveBeenCalled();
    vi.useRealTimers();
  });

  test("stops with the signal's reason at once, also before it began", async () => {
    const abort = new AbortController();
    const reading = readParts(new ReadableStream(), options({ signal: abort.signal }), () => {});
    abort.abort("cancelled");
    await expect(reading).rejects.toBe("cancelled");
    await expect(readParts(streamOf(), options({ signal: abort.signal }), () => {})).rejects.toBe(
      "cancelled",
    );
  });

  test("refuses a stream that never ends", async () => {
    const endless = new ReadableStream<LanguageModelV4StreamPart>({
      pull: (controller) => controller.enqueue(delta("x".repeat(1024 * 1024))),
    });
    await expect(readParts(endless, options(), () => {})).rejects.toMatchObject({
      code: "model_error",
    });
  });

  test("passes on what the stream or the taker throws", async () => {
    const broken = new ReadableStream<LanguageModelV4StreamPart>({
      start: (controller) => controller.error(new Error("broken")),
    });
    await expect(readParts(broken, options(), () => {})).rejects.toThrow("broken");
    const taking = readParts(streamOf(delta("a")), options(), () => {
      throw new Error("full");
    });
    await expect(taking).rejects.toThrow("full");
  });
});
