import { namedEvents } from "../provider-server.ts";
import { KEY, QUESTION, RESULT, type Transcript } from "./transcript.ts";

const start = (input_tokens: number) => ({
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 64,
      output_tokens: 1,
    },
  },
});

const block = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number, fields: object) => ({
  type: "content_block_delta",
  index,
  delta: fields,
});
const stop = (index: number) => ({ type: "content_block_stop", index });
const end = (stop_reason: string, output_tokens: number) => [
  {
    type: "message_delta",
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens },
  },
  { type: "message_stop" },
];

const events = [
  start(36),
  { type: "ping" },
  block(0, { type: "thinking", thinking: "", signature: "" }),
  delta(0, { type: "thinking_delta", thinking: "They want " }),
  delta(0, { type: "thinking_delta", thinking: "the time." }),
  delta(0, { type: "signature_delta", signature: "c2lnbmF0dXJlLTE=" }),
  stop(0),
  block(1, { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" }),
  stop(1),
  block(2, { type: "text", text: "" }),
  delta(2, { type: "text_delta", text: "Let me " }),
  delta(2, { type: "text_delta", text: "look." }),
  stop(2),
  block(3, { type: "tool_use", id: "toolu_1", name: "current_time", input: {} }),
  delta(3, { type: "input_json_delta", partial_json: "" }),
  delta(3, { type: "input_json_delta", partial_json: '{"time_zone":"Eur' }),
  delta(3, { type: "input_json_delta", partial_json: 'ope/Helsinki"}' }),
  stop(3),
];

/** Signed thinking in two blocks, one of them sealed, which must all come back as they were. */
export const anthropic: Transcript = {
  type: "anthropic",
  base_path: "/v1",
  model_name: "claude-sonnet-4-5",
  fields: { cache_control: { enabled: true } },
  steps: [
    namedEvents(...events, ...end("tool_use", 20)),
    namedEvents(
      start(50),
      block(0, { type: "text", text: "" }),
      delta(0, { type: "text_delta", text: "It is noon – 正午." }),
      stop(0),
      ...end("end_turn", 6),
    ),
  ],
  expected: {
    path: "/v1/messages",
    headers: { "x-api-key": KEY, "anthropic-version": "2023-06-01" },
    first: {
      model: "claude-sonnet-4-5",
      stream: true,
      system: [{ type: "text", text: "Help.", cache_control: { type: "ephemeral" } }],
      messages: [
        {
          role: "user",
          content: [{ type: "text", text: QUESTION, cache_control: { type: "ephemeral" } }],
        },
      ],
      tools: [{ name: "current_time", cache_control: { type: "ephemeral" } }],
    },
    second: {
      messages: [
        { role: "user", content: [{ type: "text", text: QUESTION }] },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "They want the time.", signature: "c2lnbmF0dXJlLTE=" },
            { type: "redacted_thinking", data: "cmVkYWN0ZWQ=" },
            { type: "text", text: "Let me look." },
            {
              type: "tool_use",
              id: "toolu_1",
              name: "current_time",
              input: { time_zone: "Europe/Helsinki" },
            },
          ],
        },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "toolu_1",
              content: RESULT,
              cache_control: { type: "ephemeral" },
            },
          ],
        },
      ],
    },
    reasoning: "They want the time.",
    usage: { prompt_tokens: 100, completion_tokens: 20, cached_prompt_tokens: 64 },
  },
};
