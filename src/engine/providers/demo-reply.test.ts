import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { planReply } from "./demo-reply.ts";

const says = (text: string): LanguageModelV4Prompt => [
  { role: "system", content: "Be a demo." },
  { role: "user", content: [{ type: "text", text }] },
];

const gets = (
  toolName: string,
  value: string,
  type: "text" | "error-text" = "text",
): LanguageModelV4Prompt => [
  ...says("go"),
  {
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "1", toolName, output: { type, value } }],
  },
];

describe("the demo model", () => {
  test("says honestly what it is when it is greeted or lost", () => {
    expect(planReply(says("hello"), []).text).toContain("no language model");
    expect(planReply(says("banana"), []).text).toContain("POST /api/v1/models");
  });

  test.each([
    ["what time is it?", "current_time", {}],
    ["What is the time in Europe/Helsinki?", "current_time", { time_zone: "Europe/Helsinki" }],
    ["How do I create a token?", "knowledge_search", { query: "How do I create a token?" }],
    ["remember I like tea", "memory_store", { content: "I like tea" }],
    ["What do you remember about tea?", "memory_recall", { query: "tea" }],
    [
      "create a task to water the plants",
      "manage_tasks",
      { action: "create", tasks: [{ title: "water the plants" }] },
    ],
    [
      "ask the tracer to find parcel 7",
      "spawn_tracer",
      { action: "spawn", description: "find parcel 7" },
    ],
  ])("%j calls %s", (message, tool, input) => {
    expect(planReply(says(message), [tool]).tool_calls).toEqual([{ tool, input }]);
  });

  test("without the tool it does not pretend to have it", () => {
    expect(planReply(says("what time is it?"), []).tool_calls).toBeUndefined();
  });

  test("makes exactly the calls it is told to make", () => {
    const reply = planReply(says('call a {"x": 1}\ncall b'), ["a", "b"]);
    expect(reply.tool_calls).toEqual([
      { tool: "a", input: { x: 1 } },
      { tool: "b", input: {} },
    ]);
    expect(planReply(says("call c {}"), ["a"]).text).toContain('no tool called "c"');
  });

  test("echoes, counts, thinks and takes its time when asked", () => {
    expect(planReply(says("echo  two  spaces"), []).text).toBe(" two  spaces");
    expect(planReply(says("count to 3"), []).text).toBe("1 2 3");
    expect(planReply(says("count to 3 slowly"), []).slowly).toBe(true);
    expect(planReply(says("think about it"), []).reasoning).toBeDefined();
  });

  test("answers from what a search found, and names its source by number", () => {
    const found = "[1] Source: a.md - Tokens (characters 0-9)\n\nTokens are made so.";
    const { text } = planReply(gets("knowledge_search", found), []);
    expect(text).toBe("From a.md - Tokens [1]:\n\nTokens are made so.");
  });

  test("tells a tool's failure as a failure", () => {
    expect(planReply(gets("pay", "[ERROR] no money", "error-text"), []).text).toBe(
      "The tool `pay` could not do it: no money",
    );
  });
});
