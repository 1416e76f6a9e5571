import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createDeadline } from "./deadline.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

function started(duration_ms: number) {
  const expire = vi.fn();
  const deadline = createDeadline(expire);
  deadline.start(duration_ms);
  /** Whether it has expired after so much more time. */
  const isOverIn = (milliseconds: number): boolean => {
    vi.advanceTimersByTime(milliseconds);
    return expire.mock.calls.length === 1;
  };
  return { deadline, expire, isOverIn };
}

describe("a deadline", () => {
  test("expires once, when its time is over", () => {
    const { expire, isOverIn } = started(1_000);
    expect(isOverIn(999)).toBe(false);
    expect(isOverIn(1)).toBe(true);
    vi.advanceTimersByTime(10_000);
    expect(expire).toHaveBeenCalledTimes(1);
  });

  test("of zero never expires", () => {
    const { deadline, isOverIn } = started(0);
    deadline.hold()();
    expect(isOverIn(1_000_000)).toBe(false);
  });

  test("stands still while it is held, and goes on with the time that was left", () => {
    const { deadline, isOverIn } = started(1_000);
    expect(isOverIn(600)).toBe(false);
    const release = deadline.hold();
    expect(isOverIn(10_000)).toBe(false);
    release();
    expect(isOverIn(399)).toBe(false);
    expect(isOverIn(1)).toBe(true);
  });

  test("stands still until the last of several lets go", () => {
    const { deadline, isOverIn } = started(1_000);
    const releases = [deadline.hold(), deadline.hold()];
    releases[0]?.();
    expect(isOverIn(5_000)).toBe(false);
    releases[1]?.();
    expect(isOverIn(1_000)).toBe(true);
  });

  test("loses no time by being held often", () => {
    const { deadline, isOverIn } = started(1_000);
    for (let round = 0; round < 9; round += 1) {
      const release = deadline.hold();
      expect(isOverIn(70)).toBe(false);
      release();
      expect(isOverIn(100)).toBe(false);
    }
    expect(isOverIn(99)).toBe(false);
    expect(isOverIn(1)).toBe(true);
  });

  test("that is cleared does not expire, also when it is let go afterwards", () => {
    const { deadline, isOverIn } = started(1_000);
    const release = deadline.hold();
    deadline.clear();
    release();
    expect(isOverIn(10_000)).toBe(false);
  });
});
