import { namedEvents } from "../provider-server.ts";
import { KEY, QUESTION, RESULT, type Transcript } from "./transcript.ts";

const response = (status: string, usage?: object) => ({
  id: "resp_1",
  created_at: 1772366400,
  model: "grok-4",
  object: "response",
  output: [],
  status,
  ...(usage ? { usage } : {}),
});

const counts = {
  input_tokens: 100,
  output_tokens: 20,
  total_tokens: 120,
  input_tokens_details: { cached_tokens: 64 },
  output_tokens_details: { reasoning_tokens: 8 },
};

const thinks = (delta: string) => ({
  type: "response.reasoning_summary_text.delta",
  item_id: "rs_1",
  output_index: 0,
  summary_index: 0,
  delta,
});

const says = (delta: string) => ({
  type: "response.output_text.delta",
  item_id: "msg_1",
  output_index: 1,
  content_index: 0,
  delta,
});

const called = (fields: object) => ({
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "current_time",
  ...fields,
});

const started = { type: "response.created", response: response("in_progress") };
const ended = { type: "response.completed", response: response("completed", counts) };

/** Nothing is kept there: its reasoning comes along sealed, and is sent back. */
export const xai: Transcript = {
  type: "xai",
  base_path: "/v1",
  model_name: "grok-4",
  steps: [
    namedEvents(
      started,
      {
        type: "response.reasoning_summary_part.added",
        item_id: "rs_1",
        output_index: 0,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      },
      thinks("They want "),
      thinks("the time."),
      {
        type: "response.output_item.done",
        output_index: 0,
        item: {
          type: "reasoning",
          id: "rs_1",
          status: "completed",
          summary: [{ type: "summary_text", text: "They want the time." }],
          encrypted_content: "c2VhbGVk",
        },
      },
      says("Let me "),
      says("look."),
      {
        type: "response.output_item.added",
        output_index: 2,
        item: called({ arguments: "", status: "in_progress" }),
      },
      {
        type: "response.function_call_arguments.delta",
        item_id: "fc_1",
        output_index: 2,
        delta: '{"time_zone":"Europe/Helsinki"}',
      },
      {
        type: "response.output_item.done",
        output_index: 2,
        item: called({ arguments: '{"time_zone":"Europe/Helsinki"}', status: "completed" }),
      },
      ended,
    ),
    namedEvents(started, says("It is noon"), says(" – 正午."), ended),
  ],
  expected: {
    path: "/v1/responses",
    headers: { authorization: `Bearer ${KEY}` },
    first: {
      model: "grok-4",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      input: [
        { role: "system", content: "Help." },
        { role: "user", content: [{ type: "input_text", text: QUESTION }] },
      ],
      tools: [{ type: "function", name: "current_time" }],
    },
    second: {
      input: [
        { role: "system" },
        { role: "user" },
        {
          type: "reasoning",
          id: "rs_1",
          summary: [{ type: "summary_text", text: "They want the time." }],
          encrypted_content: "c2VhbGVk",
        },
        { role: "assistant", content: "Let me look." },
        {
          type: "function_call",
          call_id: "call_1",
          name: "current_time",
          arguments: '{"time_zone":"Europe/Helsinki"}',
        },
        { type: "function_call_output", call_id: "call_1", output: RESULT },
      ],
    },
    reasoning: "They want the time.",
    usage: { prompt_tokens: 100, completion_tokens: 20, cached_prompt_tokens: 64 },
  },
};
