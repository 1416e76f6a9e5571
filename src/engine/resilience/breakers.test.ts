import { describe, expect, test } from "vitest";
import { EngineError } from "../kernel/error.ts";
import { createBreakers } from "./breakers.ts";

const NAME = "search";

function setUp() {
  let now_ms = Date.parse("2026-03-01T12:00:00Z");
  const breakers = createBreakers(() => new Date(now_ms));
  const outcome = (call: Promise<unknown>) =>
    call.then(
      () => "worked",
      (error: unknown) => (error instanceof EngineError ? error.code : "failed"),
    );
  return {
    breakers,
    pass: (seconds: number) => {
      now_ms += seconds * 1000;
    },
    work: () => outcome(breakers.guard(NAME, async () => "done")),
    fail: (error: unknown = new Error("down")) =>
      outcome(breakers.guard(NAME, () => Promise.reject(error))),
    hold() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const ended = outcome(breakers.guard(NAME, () => promise));
      return { ended, resolve, reject: () => reject(new Error("down")) };
    },
    state: () => breakers.list()[0]?.state,
    count: () => breakers.list()[0]?.failure_count,
  };
}

async function opened() {
  const breaker = setUp();
  for (let failure = 0; failure < 3; failure += 1) await breaker.fail();
  return breaker;
}

async function halfOpen() {
  const breaker = await opened();
  breaker.pass(120);
  return breaker;
}

describe("a closed breaker", () => {
  test("exists from its first use on", async () => {
    const { breakers, work } = setUp();
    expect(breakers.list()).toEqual([]);
    expect(await work()).toBe("worked");
    expect(breakers.list()).toEqual([
      { name: NAME, state: "closed", failure_count: 0, last_failure_ms: undefined },
    ]);
  });

  test("opens at the third failure within a minute", async () => {
    const { fail, pass, state, count } = setUp();
    await fail();
    pass(30);
    await fail();
    expect([state(), count()]).toEqual(["closed", 2]);
    pass(29);
    expect(await fail()).toBe("failed");
    expect([state(), count()]).toEqual(["open", 3]);
  });

  test("stays closed when the failures are further apart", async () => {
    const { fail, pass, state, count } = setUp();
    for (let failure = 0; failure < 10; failure += 1) {
      await fail();
      pass(30);
    }
    expect([state(), count()]).toEqual(["closed", 1]);
  });

  test("forgets its failures when a call works", async () => {
    const { fail, work, state } = setUp();
    await fail();
    await fail();
    await work();
    await fail();
    expect(state()).toBe("closed");
  });

  test.each([
    ["a stopped turn", new EngineError("cancelled", "stopped")],
    ["an aborted request", new DOMException("aborted", "AbortError")],
  ])("does not count %s", async (_what, error) => {
    const { fail, count } = setUp();
    await fail(error);
    expect(count()).toBe(0);
  });

  test("counts what the caller says is a failure", async () => {
    const { breakers, count } = setUp();
    const call = breakers.guard(
      NAME,
      () => Promise.reject(new Error("bad input")),
      () => false,
    );
    await expect(call).rejects.toThrow("bad input");
    expect(count()).toBe(0);
  });
});

describe("an open breaker", () => {
  test("keeps callers away and says for how long", async () => {
    const { breakers, pass } = await opened();
    pass(20);
    const call = breakers.guard(NAME, () => Promise.reject(new Error("was called")));
    await expect(call).rejects.toMatchObject({ code: "unavailable", retry_after_s: 100 });
  });

  test("leaves others alone", async () => {
    const { breakers } = await opened();
    expect(await breakers.guard("other", async () => 1)).toBe(1);
    expect(breakers.list().map(({ name, state }) => [name, state])).toEqual([
      ["other", "closed"],
      [NAME, "open"],
    ]);
  });

  test("is half open after two minutes", async () => {
    const { pass, state } = await opened();
    pass(119);
    expect(state()).toBe("open");
    pass(1);
    expect(state()).toBe("half_open");
  });

  test("is not closed by a call that began before it opened", async () => {
    const breaker = setUp();
    const slow = breaker.hold();
    for (let failure = 0; failure < 3; failure += 1) await breaker.fail();
    slow.resolve();
    expect(await slow.ended).toBe("worked");
    expect(breaker.state()).toBe("open");
  });

  test("closes when it is reset", async () => {
    const { breakers, state, count, work } = await opened();
    expect(breakers.reset(NAME)).toBe(true);
    expect([state(), count()]).toEqual(["closed", 0]);
    expect(await work()).toBe("worked");
    expect(breakers.reset("nobody")).toBe(false);
  });

  test("is gone with what it watched", async () => {
    const { breakers } = await opened();
    breakers.forget(NAME);
    expect(breakers.list()).toEqual([]);
  });
});

describe("a half-open breaker", () => {
  test("closes when its probe works", async () => {
    const { work, state, count } = await halfOpen();
    expect(await work()).toBe("worked");
    expect([state(), count()]).toEqual(["closed", 0]);
  });

  test("opens anew when its probe fails", async () => {
    const { fail, pass, state } = await halfOpen();
    expect(await fail()).toBe("failed");
    expect(state()).toBe("open");
    pass(119);
    expect(state()).toBe("open");
    pass(1);
    expect(state()).toBe("half_open");
  });

  test("lets a single probe through at a time", async () => {
    const breaker = await halfOpen();
    const probe = breaker.hold();
    expect(await breaker.work()).toBe("unavailable");
    probe.resolve();
    expect(await probe.ended).toBe("worked");
    expect(await breaker.work()).toBe("worked");
  });

  test("lets another probe through when one told nothing", async () => {
    const { fail, work, state } = await halfOpen();
    expect(await fail(new EngineError("cancelled", "stopped"))).toBe("cancelled");
    expect(state()).toBe("half_open");
    expect(await work()).toBe("worked");
  });

  test("does not open by a probe from before it was reset", async () => {
    const breaker = await halfOpen();
    const probe = breaker.hold();
    breaker.breakers.reset(NAME);
    probe.reject();
    expect(await probe.ended).toBe("failed");
    expect([breaker.state(), breaker.count()]).toEqual(["closed", 1]);
  });
});
