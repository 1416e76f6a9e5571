import { describe, expect, test } from "vitest";
import { withCacheBreakpoints } from "./anthropic-cache.ts";
import type { ChatModelCall } from "./provider.ts";

const say = (role: "user" | "assistant", text: string) => ({
  role,
  content: [{ type: "text" as const, text }],
});

const CALL: ChatModelCall = {
  prompt: [
    { role: "system", content: "s".repeat(400) },
    say("user", "Hi"),
    say("assistant", "Hello"),
    say("user", "h".repeat(4_000)),
  ],
  tools: ["a", "b"].map((name) => ({ type: "function", name, inputSchema: { type: "object" } })),
};

type Options = Parameters<typeof withCacheBreakpoints>[1];

/** Where the marks are: tools by name, messages by place. */
function marksOf(cache_control: Options, call = CALL) {
  const { prompt, tools = [] } = withCacheBreakpoints(call, cache_control);
  const marked = { anthropic: { cacheControl: { type: "ephemeral" } } };
  const isMarked = (value: object) =>
    JSON.stringify("providerOptions" in value ? value.providerOptions : "") ===
    JSON.stringify(marked);
  return [
    ...tools.filter(isMarked).map(({ name }) => name),
    ...prompt.flatMap((message, index) => (isMarked(message) ? [index] : [])),
  ];
}

describe("cache breakpoints", () => {
  test("are behind the last tool, the system text and the last message", () => {
    expect(marksOf({ enabled: true })).toEqual(["b", 0, 3]);
  });

  test("are only where they are wanted", () => {
    expect(marksOf({ enabled: true, breakpoints: ["system"] })).toEqual([0]);
    expect(marksOf({ enabled: true, breakpoints: ["tools", "history"] })).toEqual(["b", 3]);
    expect(marksOf({ enabled: false })).toEqual([]);
    expect(marksOf(undefined)).toEqual([]);
  });

  test("are left out where the prompt before them is too short", () => {
    expect(marksOf({ enabled: true, min_prefix_tokens: 1_000 })).toEqual([3]);
    expect(marksOf({ enabled: true, min_prefix_tokens: 100_000 })).toEqual([]);
  });

  test("need no tools and no system text", () => {
    expect(marksOf({ enabled: true }, { prompt: [say("user", "Hi")] })).toEqual([0]);
  });
});
