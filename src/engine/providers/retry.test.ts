import { APICallError } from "@ai-sdk/provider";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EngineError } from "../kernel/error.ts";
import { withRetries } from "./retry.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const status = (statusCode: number, retry_after?: string) =>
  new APICallError({
    message: "failed",
    url: "http://127.0.0.1:9/v1",
    requestBodyValues: {},
    statusCode,
    ...(retry_after === undefined ? {} : { responseHeaders: { "retry-after": retry_after } }),
  });

const refused = () =>
  new TypeError("fetch failed", {
    cause: Object.assign(new Error("connect"), { code: "ECONNREFUSED" }),
  });

/** Opens that fail in turn; after the last failure they succeed. */
function failing(...failures: unknown[]) {
  const began = Date.now();
  const attempts_ms: number[] = [];
  const abort = new AbortController();
  const open = async () => {
    attempts_ms.push(Date.now() - began);
    if (failures.length > 0) throw failures.shift();
    return "open";
  };
  const outcome = withRetries(open, abort.signal).catch((error: unknown) => error);
  return { outcome, attempts_ms, abort };
}

describe("opening a model's stream", () => {
  test.each([408, 429, 500, 502, 503, 504, 529])(
    "is tried again after status %d, twice, each time after a longer pause",
    async (code) => {
      const { outcome, attempts_ms } = failing(status(code), status(code));
      await vi.runAllTimersAsync();
      expect(await outcome).toBe("open");
      expect(attempts_ms).toEqual([0, 500, 1_500]);
    },
  );

  test("is tried again when the server could not be reached", async () => {
    const { outcome, attempts_ms } = failing(refused());
    await vi.runAllTimersAsync();
    expect(await outcome).toBe("open");
    expect(attempts_ms).toHaveLength(2);
  });

  test("fails with the last failure when the third attempt fails too", async () => {
    const last = status(503);
    const { outcome, attempts_ms } = failing(status(500), refused(), last, status(500));
    await vi.runAllTimersAsync();
    expect(await outcome).toBe(last);
    expect(attempts_ms).toHaveLength(3);
  });

  test.each([
    ["a refused key", status(401)],
    ["a forbidden model", status(403)],
    ["a bad request", status(400)],
    ["a missing model", status(404)],
    ["an answer that can't be used", status(200)],
    ["an error of our own", new EngineError("timeout", "silent")],
    ["a bug", new Error("oops")],
  ])("is not tried again after %s", async (_what, failure) => {
    const { outcome, attempts_ms } = failing(failure);
    expect(await outcome).toBe(failure);
    expect(attempts_ms).toEqual([0]);
  });

  test.each([
    ["waits as long as the server asks", "7", [0, 7_000]],
    ["waits no less than it would by itself", "0", [0, 500]],
    ["waits until the date that the server names", new Date(20_000).toUTCString(), [0, 20_000]],
    ["does not mind nonsense", "soon", [0, 500]],
    ["does not mind a time that is over", "-1", [0, 500]],
  ])("%s", async (_what, retry_after, attempts) => {
    vi.setSystemTime(0);
    const { outcome, attempts_ms } = failing(status(429, retry_after));
    await vi.runAllTimersAsync();
    expect(await outcome).toBe("open");
    expect(attempts_ms).toEqual(attempts);
  });

  test.each(["21", "1000000000"])(
    "is given up at once when the server asks for %s seconds",
    async (retry_after) => {
      const failure = status(429, retry_after);
      const { outcome, attempts_ms } = failing(failure);
      expect(await outcome).toBe(failure);
      expect(attempts_ms).toEqual([0]);
    },
  );

  test("stops at once when it is aborted between two attempts", async () => {
    const { outcome, attempts_ms, abort } = failing(status(429, "15"));
    await vi.advanceTimersByTimeAsync(1_000);
    abort.abort("cancelled");
    expect(await outcome).toBe("cancelled");
    expect(vi.getTimerCount()).toBe(0);
    expect(attempts_ms).toEqual([0]);
  });

  test("is not tried again once it was aborted, and tells why it was", async () => {
    const abort = new AbortController();
    const open = async () => {
      abort.abort("cancelled");
      throw refused();
    };
    await expect(withRetries(open, abort.signal)).rejects.toBe("cancelled");
  });
});
