import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EngineError } from "#engine/kernel/error.ts";
import { createThread } from "./thread.ts";
import type { BackgroundWorker } from "./worker.ts";

/** Workers that answer with their number, and remember whether they were closed. */
function startCounting() {
  const workers: { is_closed: boolean }[] = [];
  const open = async (): Promise<BackgroundWorker> => {
    const state = { is_closed: false };
    const number = workers.push(state);
    return {
      async run(task) {
        if (task === "fail") throw new Error("an accident");
        if (task === "refuse") throw new EngineError("timeout", "it takes too long");
        return number;
      },
      async close() {
        state.is_closed = true;
      },
    };
  };
  return { workers, thread: createThread(open, { idle_ms: 1_000 }) };
}

describe("a thread", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("is one worker for all tasks, opened by the first", async () => {
    const { workers, thread } = startCounting();
    expect(workers).toEqual([]);
    expect(await Promise.all([thread.run("a", 1), thread.run("b", 2)])).toEqual([1, 1]);
  });

  test("is opened anew after an accident", async () => {
    const { workers, thread } = startCounting();
    await expect(thread.run("fail", 1)).rejects.toThrow("an accident");
    expect(workers).toEqual([{ is_closed: true }]);
    expect(await thread.run("a", 1)).toBe(2);
  });

  test("goes on after a task that is refused", async () => {
    const { workers, thread } = startCounting();
    await expect(thread.run("refuse", 1)).rejects.toThrow("it takes too long");
    expect(workers).toEqual([{ is_closed: false }]);
    expect(await thread.run("a", 1)).toBe(1);
  });

  test("is closed when nobody has needed it for a while, and opened again for the next", async () => {
    const { workers, thread } = startCounting();
    await thread.run("a", 1);
    await vi.advanceTimersByTimeAsync(900);
    await thread.run("a", 1);
    await vi.advanceTimersByTimeAsync(900);
    expect(workers).toEqual([{ is_closed: false }]);
    await vi.advanceTimersByTimeAsync(200);
    expect(workers).toEqual([{ is_closed: true }]);
    expect(await thread.run("a", 1)).toBe(2);
  });

  test("closes with its worker", async () => {
    const { workers, thread } = startCounting();
    await thread.run("a", 1);
    await thread.close();
    expect(workers).toEqual([{ is_closed: true }]);
  });
});
