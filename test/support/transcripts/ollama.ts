import { KEY, QUESTION, RESULT, type Transcript } from "./transcript.ts";

const lines = (...values: readonly object[]): string =>
  values.map((value) => `${JSON.stringify({ model: "qwen3", ...value })}\n`).join("");

const says = (message: object) => ({ message: { role: "assistant", content: "", ...message } });

const end = {
  ...says({}),
  done: true,
  done_reason: "stop",
  prompt_eval_count: 100,
  eval_count: 20,
};

/** One JSON value a line, whole calls without ids. */
export const ollama: Transcript = {
  type: "ollama",
  base_path: "",
  model_name: "qwen3",
  steps: [
    lines(
      says({ thinking: "They want " }),
      says({ thinking: "the time." }),
      says({ content: "Let me " }),
      says({ content: "look." }),
      says({
        tool_calls: [
          { function: { name: "current_time", arguments: { time_zone: "Europe/Helsinki" } } },
        ],
      }),
      end,
    ),
    lines(says({ content: "It is noon" }), says({ content: " – 正午." }), end),
  ],
  expected: {
    path: "/api/chat",
    headers: { authorization: `Bearer ${KEY}` },
    first: {
      model: "qwen3",
      stream: true,
      options: { num_ctx: 16_000 },
      messages: [
        { role: "system", content: "Help." },
        { role: "user", content: QUESTION },
      ],
      tools: [{ type: "function", function: { name: "current_time" } }],
    },
    second: {
      messages: [
        { role: "system" },
        { role: "user" },
        {
          role: "assistant",
          content: "Let me look.",
          thinking: "They want the time.",
          tool_calls: [
            { function: { name: "current_time", arguments: { time_zone: "Europe/Helsinki" } } },
          ],
        },
        { role: "tool", tool_name: "current_time", content: RESULT },
      ],
    },
    reasoning: "They want the time.",
    usage: { prompt_tokens: 100, completion_tokens: 20 },
  },
};
