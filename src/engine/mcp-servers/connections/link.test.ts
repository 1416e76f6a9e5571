import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { RemoteTool } from "../remote-tool.ts";
import type { McpServerRecord } from "../server.ts";
import type { Connection, ConnectionListener, ConnectLimits, ServerFailure } from "./connection.ts";
import { CONNECT_MS, createLink } from "./link.ts";

const LOOK: RemoteTool = { name: "look", inputSchema: {} };
const SERVER: McpServerRecord = {
  id: "1",
  name: "shop",
  type: "stdio",
  command: "shop",
  args: [],
  sealed_env_vars: {},
  forward_headers: [],
  auth_type: "none",
  enabled: true,
  is_trusted: true,
  created_at: "",
  updated_at: "",
};
const failure = (kind: ServerFailure["failure"]): ServerFailure => ({
  failure: kind,
  message: kind,
});
const call = { signal: new AbortController().signal, silence_ms: 1, total_ms: 1 };
const options = { ...call, idempotency_key: "k" };

/** A link to a server that lives in this test, with what was done to it. */
function linked(server: Partial<McpServerRecord> = {}) {
  const listeners: ConnectionListener[] = [];
  const seen: string[] = [];
  const state = { is_down: false, is_silent: false, fails: [] as ServerFailure[] };
  const connect = async (
    _target: unknown,
    listener: ConnectionListener,
    { signal }: ConnectLimits,
  ): Promise<Connection> => {
    seen.push("connect");
    if (state.is_silent)
      await new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("given up")));
      });
    if (state.is_down) throw failure("gone");
    listeners.push(listener);
    return {
      listTools: async () => {
        seen.push("list");
        return [LOOK];
      },
      callTool: async () => {
        seen.push("call");
        const next = state.fails.shift();
        if (next) throw next;
        return { content: [] };
      },
      close: async () => void seen.push("close"),
    };
  };
  const link = createLink(
    { ...SERVER, ...server },
    {
      idle_ms: 60_000,
      target: () => ({ type: "http", url: "", token: undefined, fetch }),
      connect,
      now: () => new Date(0),
      onTools: () => undefined,
      onTrouble: () => undefined,
    },
  );
  onTestFinished(link.close);
  return { link, seen, state, lose: () => listeners.at(-1)?.onClosed("it fell"), listeners };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
});

describe("the link to a server", () => {
  test("is made once for all who want it at a time", async () => {
    const { link, seen } = linked();
    await Promise.all([link.open(CONNECT_MS), link.open(CONNECT_MS)]);
    await link.open(CONNECT_MS);
    expect(seen).toEqual(["connect", "list"]);
    expect(link.status()).toMatchObject({ status: "connected", tools_count: 1 });
  });

  test("that was lost is made again after a while, and then more and more seldom", async () => {
    const { link, seen, state, lose } = linked();
    await link.open(CONNECT_MS);
    state.is_down = true;
    lose();
    expect(link.status()).toMatchObject({ status: "disconnected", status_message: "it fell" });
    const attempts = () => seen.filter((one) => one === "connect").length;
    for (const [wait_ms, count] of [
      [1_000, 2],
      [2_000, 3],
      [3_999, 3],
      [1, 4],
    ] as const) {
      await vi.advanceTimersByTimeAsync(wait_ms);
      expect(attempts()).toBe(count);
    }
    expect(link.status().status).toBe("error");
    state.is_down = false;
    await vi.advanceTimersByTimeAsync(8_000);
    expect(link.status().status).toBe("connected");
  });

  test("is not waited for right after it failed, and later not for long", async () => {
    const { link, state } = linked();
    state.is_down = true;
    expect(link.patience()).toBe(CONNECT_MS);
    await expect(link.open(link.patience())).rejects.toThrow("gone");
    expect(link.patience()).toBe(0);
    await expect(link.open(0)).rejects.toThrow("gone");
  });

  test("is made anew for a call that the server knows no session for, and the call is made again", async () => {
    const { link, seen, state } = linked();
    await link.open(CONNECT_MS);
    state.fails.push(failure("gone"));
    await link.call(LOOK, {}, options);
    expect(seen).toEqual(["connect", "list", "call", "close", "connect", "list", "call"]);
  });

  test.each(["lost", "timeout", "refused"] as const)(
    "does not repeat a call that failed as %s: it may have had its effect",
    async (kind) => {
      const { link, seen, state } = linked();
      state.fails.push(failure(kind));
      await expect(link.call(LOOK, {}, options)).rejects.toMatchObject({ failure: kind });
      expect(seen.filter((one) => one === "call")).toHaveLength(1);
    },
  );

  test("ends a program that nobody uses, and keeps its tools in mind", async () => {
    const { link, seen } = linked();
    await link.open(CONNECT_MS);
    link.tick();
    expect(seen).not.toContain("close");
    vi.advanceTimersByTime(60_001);
    link.tick();
    expect(seen).toContain("close");
    expect(link.status()).toMatchObject({ status: "disconnected", tools_count: 1 });
    await link.call(LOOK, {}, options);
    expect(link.status().status).toBe("connected");
  });

  test("asks for the tools again in the interval that is configured", async () => {
    const { link, seen } = linked({ type: "http", catalog_refresh_interval_seconds: 30 });
    await link.open(CONNECT_MS);
    vi.advanceTimersByTime(29_000);
    link.tick();
    expect(seen.filter((one) => one === "list")).toHaveLength(1);
    vi.advanceTimersByTime(2_000);
    link.tick();
    expect(seen.filter((one) => one === "list")).toHaveLength(2);
    expect(seen).not.toContain("close");
  });

  test("that is being made is given up when it is closed", async () => {
    const { link, state } = linked();
    state.is_silent = true;
    const opened = link.open(CONNECT_MS);
    await link.close();
    await expect(opened).rejects.toThrow("given up");
  });

  test("once closed stays closed", async () => {
    const { link, seen } = linked();
    await link.open(CONNECT_MS);
    await link.close();
    await expect(link.call(LOOK, {}, options)).rejects.toMatchObject({ failure: "gone" });
    await vi.advanceTimersByTimeAsync(600_000);
    expect(seen).toEqual(["connect", "list", "close"]);
  });
});
