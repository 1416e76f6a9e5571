import { dataLines } from "../provider-server.ts";
import { KEY, QUESTION, RESULT, type Transcript } from "./transcript.ts";

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1772366400,
  model: "large",
  choices: [{ index: 0, delta, finish_reason }],
});

const usage = (prompt_tokens: number, completion_tokens: number, cached_tokens = 0) => ({
  ...chunk({}),
  choices: [],
  usage: {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: { cached_tokens },
    // DeepSeek's name for the same.
    prompt_cache_hit_tokens: cached_tokens,
  },
});

const done = "data: [DONE]\n\n";

const call = (fields: object) => chunk({ tool_calls: [{ index: 0, ...fields }] });

const answer =
  dataLines(
    chunk({ role: "assistant", content: "" }),
    chunk({ content: "It is noon" }),
    chunk({ content: " – 正午." }),
    chunk({}, "stop"),
    usage(140, 6),
  ) + done;

const steps = (...thoughts: object[]): [string, string] => [
  dataLines(
    chunk({ role: "assistant", content: "" }),
    ...thoughts,
    chunk({ content: "Let me " }),
    chunk({ content: "look." }),
    call({ id: "call_1", type: "function", function: { name: "current_time", arguments: "" } }),
    call({ function: { arguments: '{"time_zone":"Eur' } }),
    call({ function: { arguments: 'ope/Helsinki"}' } }),
    chunk({}, "tool_calls"),
    usage(100, 20, 64),
  ) + done,
  answer,
];

const tool = {
  type: "function",
  function: { name: "current_time", parameters: { type: "object" } },
};

const system = { role: "system", content: "Help." };
const user = { role: "user", content: QUESTION };
const called = {
  role: "assistant",
  content: "Let me look.",
  tool_calls: [
    {
      id: "call_1",
      type: "function",
      function: { name: "current_time", arguments: '{"time_zone":"Europe/Helsinki"}' },
    },
  ],
};
const result = { role: "tool", tool_call_id: "call_1", content: RESULT };

const common = {
  first: { model: "large", stream: true, messages: [system, user], tools: [tool] },
  second: { messages: [system, user, called, result] },
  usage: { prompt_tokens: 100, completion_tokens: 20, cached_prompt_tokens: 64 },
};

const bearer = { authorization: `Bearer ${KEY}` };

const thoughtful = {
  ...common,
  second: {
    messages: [system, user, { ...called, reasoning_content: "They want the time." }, result],
  },
  reasoning: "They want the time.",
};

const thoughts = [
  chunk({ reasoning_content: "They want " }),
  chunk({ reasoning_content: "the time." }),
];

/** The protocol that most servers share, with each one's address, headers and additions. */
export const chatCompletions: readonly Transcript[] = [
  {
    type: "openai_compatible",
    base_path: "/v1",
    model_name: "large",
    fields: { extra_body: { seed: 7 } },
    steps: steps(),
    expected: {
      ...common,
      path: "/v1/chat/completions",
      headers: bearer,
      first: { ...common.first, seed: 7, stream_options: { include_usage: true } },
    },
  },
  {
    type: "openrouter",
    base_path: "/api/v1",
    model_name: "large",
    // It keeps the connection alive with comments, and names reasoning in its own way.
    steps: [
      `: OPENROUTER PROCESSING\n\n${steps(chunk({ reasoning: "They want the time." }))[0]}`,
      answer,
    ],
    expected: { ...thoughtful, path: "/api/v1/chat/completions", headers: bearer },
  },
  {
    type: "deepseek",
    base_path: "",
    model_name: "large",
    steps: steps(...thoughts),
    expected: { ...thoughtful, path: "/chat/completions", headers: bearer },
  },
  {
    type: "zai",
    base_path: "/api/paas/v4",
    model_name: "large",
    steps: steps(...thoughts),
    expected: { ...thoughtful, path: "/api/paas/v4/chat/completions", headers: bearer },
  },
  {
    type: "azure_openai",
    base_path: "",
    model_name: "large",
    // The first chunk tells what the filter said of the prompt, and has no choices.
    steps: [
      dataLines({ choices: [], prompt_filter_results: [{ prompt_index: 0 }] }) + steps()[0],
      answer,
    ],
    expected: {
      ...common,
      path: "/openai/deployments/large/chat/completions?api-version=2024-10-21",
      headers: { "api-key": KEY },
    },
  },
];
