import { describe, expect, test } from "vitest";
import { newCounter } from "#engine/usage/usage.ts";
import { begunCall, idempotencyRecord, interruptRecord, sessionRecord } from "./records.ts";
import { filled, STORES } from "./stores.ts";

const day = (n: number) => `2026-03-0${n}T00:00:00.000Z`;

describe.each(STORES)("the $name store", ({ open }) => {
  describe("interrupts", () => {
    test("are closed once", async () => {
      const store = await filled(open());
      const first = interruptRecord("i1", { run_id: "run" });
      await store.write(async (tx) => {
        for (const one of [first, interruptRecord("i2")]) await tx.interrupts.insert(one);
        expect(await tx.interrupts.close("i1", "resolved")).toBe(true);
        expect(await tx.interrupts.close("i1", "abandoned")).toBe(false);
        expect(await tx.interrupts.close("unknown", "resolved")).toBe(false);
      });
      const { interrupts } = store.read;
      expect(await interrupts.get("i1")).toEqual({ ...first, status: "resolved" });
      expect(await interrupts.listPending("s")).toEqual([interruptRecord("i2")]);
      await store.write((tx) => tx.sessions.delete("s"));
      expect(await interrupts.get("i2")).toBeUndefined();
    });
  });

  describe("idempotency keys", () => {
    test("are their owner's alone, are used once, and end by age or session", async () => {
      const store = await filled(open());
      const old = idempotencyRecord("k", { created_at: day(1) });
      const others = { ...old, owner: "end_user:ann", created_at: day(2) };
      await store.write(async (tx) => {
        for (const one of [old, others]) await tx.idempotency.insert(one);
      });
      const { idempotency } = store.read;
      expect(await idempotency.get(old.owner, "k")).toEqual(old);
      expect(await idempotency.get(old.owner, "other")).toBeUndefined();
      await expect(store.write((tx) => tx.idempotency.insert(old))).rejects.toThrow();
      await store.write((tx) => tx.idempotency.deleteBefore(day(2)));
      expect(await idempotency.get(old.owner, "k")).toBeUndefined();
      expect(await idempotency.get(others.owner, "k")).toEqual(others);
      await store.write((tx) => tx.sessions.delete("s"));
      expect(await idempotency.get(others.owner, "k")).toBeUndefined();
    });
  });

  describe("usage", () => {
    test("has one limit for each scope and one counter for each subject", async () => {
      const store = open();
      const limit = { unit: "turns", limit_value: 3, interval_seconds: 60, enabled: true } as const;
      await store.write(async (tx) => {
        await tx.usage.putLimit({ scope: "tenant", ...limit });
        await tx.usage.putLimit({ scope: "per_user", ...limit });
        await tx.usage.putLimit({ scope: "tenant", ...limit, unit: "steps", enabled: false });
        expect(await tx.usage.deleteLimit("per_user")).toBe(true);
        expect(await tx.usage.deleteLimit("per_user")).toBe(false);
        await tx.usage.putCounter({ ...newCounter("total", day(1)), steps: 2 });
        await tx.usage.putCounter({ ...newCounter("total", day(2)), turns: 1 });
      });
      const { usage } = store.read;
      expect(await usage.listLimits()).toEqual([
        { scope: "tenant", ...limit, unit: "steps", enabled: false },
      ]);
      expect(await usage.getCounter("total")).toEqual({ ...newCounter("total", day(2)), turns: 1 });
      expect(await usage.getCounter("tenant")).toBeUndefined();
    });
  });

  describe("tool calls", () => {
    test("know whose they are, and how they ended", async () => {
      const store = await filled(open());
      await store.write(async (tx) => {
        await tx.tool_calls.begin(begunCall("c1"));
        await tx.tool_calls.begin(begunCall("c2", { agent_id: "gone", created_at: day(1) }));
        const outcome = { output: "[ERROR] no", status: "failed", duration_ms: 7 } as const;
        await tx.tool_calls.finish("s", "c1", outcome);
        await tx.tool_calls.finish("other", "c2", outcome);
      });
      const list = await store.read.tool_calls.list({}, { limit: 10, offset: 0 });
      const about = { session_id: "s", tool_name: "look", input: "{}", user_id: "ann" };
      const failed = { output: "[ERROR] no", status: "failed", duration_ms: 7 };
      const running = { output: "", status: "completed", duration_ms: 0 };
      expect(list.find(({ call_id }) => call_id === "c1")).toMatchObject({
        ...about,
        ...failed,
        agent_name: "a",
      });
      expect(list.find(({ call_id }) => call_id === "c2")).toMatchObject({
        ...about,
        ...running,
        agent_name: "gone",
      });
    });

    test("are listed newest first, in pages, by every filter", async () => {
      const store = await filled(open());
      await store.write(async (tx) => {
        await tx.sessions.insert(sessionRecord("t", { user_sub: "bob" }));
        for (const n of [1, 2, 3, 4]) {
          const fields = n === 4 ? { session_id: "t", agent_id: "agent-b", tool_name: "hear" } : {};
          await tx.tool_calls.begin(begunCall(`c${n}`, { ...fields, created_at: day(n) }));
        }
        await tx.tool_calls.begin(begunCall("c5", { created_at: day(4) }));
        const outcome = { output: "", status: "failed", duration_ms: 1 } as const;
        await tx.tool_calls.finish("s", "c2", outcome);
      });
      const { tool_calls } = store.read;
      const calls = async (filter: object, limit = 10, offset = 0) =>
        (await tool_calls.list(filter, { limit, offset })).map(({ call_id }) => call_id);
      expect(await calls({})).toEqual(["c5", "c4", "c3", "c2", "c1"]);
      expect(await calls({}, 2, 1)).toEqual(["c4", "c3"]);
      expect(await calls({ session_id: "t" })).toEqual(["c4"]);
      expect(await calls({ agent_name: "b" })).toEqual(["c4"]);
      expect(await calls({ tool_name: "hear" })).toEqual(["c4"]);
      expect(await calls({ status: "failed" })).toEqual(["c2"]);
      expect(await calls({ user_id: "bob" })).toEqual(["c4"]);
      expect(await calls({ from: day(2), to: day(3) })).toEqual(["c3", "c2"]);
      expect(await calls({ user_id: "ann", status: "completed" })).toEqual(["c5", "c3", "c1"]);
      expect(await tool_calls.count({ user_id: "ann", to: day(3) })).toBe(3);
      await store.write((tx) => tx.sessions.delete("s"));
      expect(await tool_calls.count({})).toBe(1);
    });
  });
});
