import { dataLines } from "../provider-server.ts";
import { KEY, QUESTION, RESULT, type Transcript } from "./transcript.ts";

const chunk = (delta: object, finish_reason: string | null = null, usage?: object) => ({
  id: "cmpl-1",
  object: "chat.completion.chunk",
  created: 1772366400,
  model: "magistral-medium",
  choices: [{ index: 0, delta, finish_reason }],
  ...(usage ? { usage } : {}),
});

const thinks = (text: string) =>
  chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] });

const call = {
  id: "a1B2c3D4e",
  index: 0,
  function: { name: "current_time", arguments: '{"time_zone": "Europe/Helsinki"}' },
};

const done = "data: [DONE]\n\n";

const counts = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

/** Thinking is content of its own kind, and a call comes in one piece. */
export const mistral: Transcript = {
  type: "mistral",
  base_path: "/v1",
  model_name: "magistral-medium",
  steps: [
    dataLines(
      chunk({ role: "assistant", content: "" }),
      thinks("They want "),
      thinks("the time."),
      chunk({ content: "Let me look." }),
      chunk({ content: "", tool_calls: [call] }, "tool_calls", counts),
    ) + done,
    dataLines(
      chunk({ role: "assistant", content: "It is noon" }),
      chunk({ content: " – 正午." }, "stop", counts),
    ) + done,
  ],
  expected: {
    path: "/v1/chat/completions",
    headers: { authorization: `Bearer ${KEY}` },
    first: {
      model: "magistral-medium",
      stream: true,
      messages: [
        { role: "system", content: "Help." },
        { role: "user", content: [{ type: "text", text: QUESTION }] },
      ],
      tools: [{ type: "function", function: { name: "current_time" } }],
    },
    second: {
      messages: [
        { role: "system" },
        { role: "user" },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: [{ type: "text", text: "They want the time." }] },
            { type: "text", text: "Let me look." },
          ],
          tool_calls: [{ id: "a1B2c3D4e", function: { name: "current_time" } }],
        },
        { role: "tool", name: "current_time", tool_call_id: "a1B2c3D4e", content: RESULT },
      ],
    },
    reasoning: "They want the time.",
    usage: { prompt_tokens: 100, completion_tokens: 20 },
  },
};
