import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import {
  laterSystemAsUser,
  renameCalls,
  systemFirst,
  withoutReasoning,
  withToolsOfHistory,
} from "./prompt-rules.ts";

const user = { role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] };
const said: LanguageModelV4Prompt = [
  {
    role: "assistant",
    content: [
      { type: "reasoning", text: "Hm." },
      { type: "text", text: "Hello" },
      { type: "tool-call", toolCallId: "a:1", toolName: "look", input: {} },
    ],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "a:1",
        toolName: "look",
        output: { type: "text", value: "seen" },
      },
    ],
  },
];

describe("a prompt", () => {
  test("gets one system text at its beginning, whenever its parts were said", () => {
    const late: LanguageModelV4Prompt = [
      { role: "system", content: "Help." },
      user,
      { role: "system", content: "Answer now." },
    ];
    expect(systemFirst(late)).toEqual([{ role: "system", content: "Help.\n\nAnswer now." }, user]);
    expect(systemFirst([user, { role: "system", content: "Answer now." }])).toEqual([
      { role: "system", content: "Answer now." },
      user,
    ]);
    expect(systemFirst([user])).toEqual([user]);
  });

  test("keeps its beginning, and later system texts where they were said", () => {
    const note = { role: "user", content: [{ type: "text", text: "[System note] Answer now." }] };
    const first = { role: "system" as const, content: "Help." };
    const late = { role: "system" as const, content: "Answer now." };
    expect(laterSystemAsUser([first, user, late])).toEqual([first, user, note]);
    expect(laterSystemAsUser([user, late])).toEqual([user, note]);
    expect(laterSystemAsUser([first])).toEqual([first]);
  });

  test("keeps calls and results together when their ids change", () => {
    const [call, result] = renameCalls(said, (id) => id.replace(":", "_"));
    expect(call?.content).toContainEqual(expect.objectContaining({ toolCallId: "a_1" }));
    expect(result?.content).toMatchObject([{ toolCallId: "a_1" }]);
  });

  test("with calls has their tools declared, though not for use, when there are none", () => {
    const declared = withToolsOfHistory({ prompt: [user, ...said, ...said] });
    expect(declared.tools?.map(({ name }) => name)).toEqual(["look"]);
    expect(declared.toolChoice).toEqual({ type: "none" });
    expect(withToolsOfHistory({ prompt: [user] })).toEqual({ prompt: [user] });
    expect(withToolsOfHistory(declared)).toBe(declared);
  });

  test("loses its reasoning where a server knows none, and messages that were nothing else", () => {
    const thought: LanguageModelV4Prompt = [
      { role: "assistant", content: [{ type: "reasoning", text: "Hm." }] },
    ];
    const types = withoutReasoning([user, ...said, ...thought]).map(({ role, content }) =>
      role === "assistant" ? content.map(({ type }) => type) : role,
    );
    expect(types).toEqual(["user", ["text", "tool-call"], "tool"]);
  });
});
