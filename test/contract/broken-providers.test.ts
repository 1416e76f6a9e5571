import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { createChatModel } from "#engine/providers/create.ts";
import { describeModelError } from "#engine/providers/errors.ts";
import { readParts } from "#engine/providers/stream-guard.ts";
import {
  dataLines,
  namedEvents,
  type ProviderReply,
  startProviderServer,
} from "../support/provider-server.ts";

const KEY = "sk-test-0123456789";
const HTML = {
  body: "<html><body>It works!</body></html>",
  headers: { "Content-Type": "text/html" },
};
const DONE = "data: [DONE]\n\n";

/** Everything a server's answer became: the parts until its end or its failure. */
async function ask(type: string, reply: ProviderReply | string) {
  const provider = await startProviderServer(reply);
  const connection = { type, model_name: "m", base_url: provider.origin, api_key: KEY };
  const model = await createChatModel(connection);
  const parts: LanguageModelV4StreamPart[] = [];
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];
  const failure = await readParts(
    (abortSignal) => model.doStream({ prompt, abortSignal }),
    { idle_ms: 60_000, signal: new AbortController().signal, without_retries: true },
    (part) => {
      if (part.type === "error") throw part.error;
      parts.push(part);
    },
  ).then(
    () => undefined,
    (error: unknown) => describeModelError(error, connection),
  );
  const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  return { text, calls, failure, requests: provider.requests };
}

const chunk = (delta: object, finish_reason?: string) => ({
  id: "1",
  choices: [{ index: 0, delta, ...(finish_reason ? { finish_reason } : {}) }],
});

describe("a server of the chat completions protocol", () => {
  test.each<[string, ProviderReply | string, RegExp, string]>([
    ["answers with a web page", HTML, /can't be used/, ""],
    ["answers with nothing", "", /can't be used/, ""],
    ["sends what is no JSON", "data: {oops\n\n", /can't be used/, ""],
    [
      "cuts the connection within a chunk",
      { body: `${dataLines(chunk({ content: "Half" }))}data: {"choi`, is_cut: true },
      /the connection was cut/,
      "Half",
    ],
    [
      "ends before it gave a reason",
      dataLines(chunk({ content: "Half" })),
      /without a finish reason/,
      "Half",
    ],
    [
      "fails within the stream",
      dataLines(chunk({ content: "Half" }), { error: { message: `overloaded, key ${KEY}` } }),
      /overloaded, key \[key\]/,
      "Half",
    ],
    [
      "sends a line that never ends",
      `data: ${"x".repeat(5_000_000)}`,
      /more than 4194304 bytes/,
      "",
    ],
    [
      "wants to send us elsewhere",
      { body: "", status: 307, headers: { Location: "http://127.0.0.1:9/" } },
      /answered 307/,
      "",
    ],
  ])(
    "that %s fails with a clear error, and what it said is kept",
    async (_what, reply, message, said) => {
      const { text, failure } = await ask("openai_compatible", reply);
      expect(failure).toMatchObject({
        code: "model_error",
        message: expect.stringMatching(message),
      });
      expect(text).toBe(said);
    },
  );

  test("may end without its last line, and send chunks without choices", async () => {
    const { text, failure } = await ask(
      "openai_compatible",
      dataLines({ id: "1", choices: [] }, chunk({ content: "Hi" }), chunk({}, "stop"), {
        id: "1",
        choices: [],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
    expect(failure).toBeUndefined();
    expect(text).toBe("Hi");
  });

  test.each([
    [
      "in one chunk",
      [{ index: 0, id: "c1", function: { name: "a", arguments: '{"x":1}' } }],
      ["a"],
    ],
    [
      "without an index",
      [
        { id: "c1", function: { name: "a", arguments: '{"x":1}' } },
        { id: "c2", function: { name: "b", arguments: '{"x":1}' } },
      ],
      ["a", "b"],
    ],
    ["without an id", [{ index: 0, function: { name: "a", arguments: '{"x":1}' } }], ["a"]],
    [
      "with one id for two",
      [
        { index: 0, id: "c1", function: { name: "a", arguments: '{"x":1}' } },
        { index: 1, id: "c1", function: { name: "b", arguments: '{"x":1}' } },
      ],
      ["a", "b"],
    ],
  ])("may send its calls %s", async (_how, tool_calls, names) => {
    const { calls, failure } = await ask(
      "openai_compatible",
      dataLines(
        ...tool_calls.map((call) => chunk({ tool_calls: [call] })),
        chunk({}, "tool_calls"),
      ) + DONE,
    );
    expect(failure).toBeUndefined();
    expect(calls.map(({ toolName }) => toolName)).toEqual(names);
    expect(calls.map(({ input }) => input)).toEqual(names.map(() => '{"x":1}'));
  });

  test("that sends without an end is stopped", async () => {
    const { failure } = await ask("openai_compatible", "\n".repeat(65 * 1024 * 1024));
    expect(failure?.message).toContain("more than 67108864 bytes");
  });
});

const started = {
  type: "message_start",
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
};
const half = [
  started,
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Half" } },
];
const overloaded = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };

describe("Anthropic", () => {
  test.each<[string, ProviderReply | string, RegExp, string]>([
    ["answers with a web page", HTML, /cut off|can't be used/, ""],
    ["is overloaded from the start", namedEvents(overloaded), /answered 529: Overloaded/, ""],
    ["is overloaded within the stream", namedEvents(...half, overloaded), /Overloaded/, "Half"],
    ["ends too early", namedEvents(...half), /cut off/, "Half"],
    ["cuts the connection", { body: namedEvents(...half), is_cut: true }, /cut/, "Half"],
    [
      "sends a line that never ends",
      `data: ${"x".repeat(5_000_000)}`,
      /more than 4194304 bytes/,
      "",
    ],
  ])(
    "that %s fails with a clear error, and what it said is kept",
    async (_what, reply, message, said) => {
      const { text, failure } = await ask("anthropic", reply);
      expect(failure).toMatchObject({
        code: "model_error",
        message: expect.stringMatching(message),
      });
      expect(text).toBe(said);
    },
  );
});

const candidate = (text: string, finishReason?: string) => ({
  candidates: [
    { content: { parts: [{ text }], role: "model" }, ...(finishReason ? { finishReason } : {}) },
  ],
});

describe("Google", () => {
  test.each<[string, ProviderReply | string, RegExp, string]>([
    ["answers with a web page", HTML, /cut off|can't be used/, ""],
    ["ends too early", dataLines(candidate("Half")), /cut off/, "Half"],
    ["cuts the connection", { body: dataLines(candidate("Half")), is_cut: true }, /cut/, "Half"],
    [
      "makes a call that it can't read itself",
      dataLines({ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] }),
      /MALFORMED_FUNCTION_CALL/,
      "",
    ],
  ])(
    "that %s fails with a clear error, and what it said is kept",
    async (_what, reply, message, said) => {
      const { text, failure } = await ask("google", reply);
      expect(failure).toMatchObject({
        code: "model_error",
        message: expect.stringMatching(message),
      });
      expect(text).toBe(said);
    },
  );
});

describe.each(["mistral", "deepseek", "xai", "azure_openai"])("%s", (type) => {
  test.each<[string, ProviderReply | string]>([
    ["answers with a web page", HTML],
    ["ends too early", dataLines(chunk({ content: "Half" }))],
    ["sends what is no JSON", "data: {oops\n\n"],
  ])("that %s is an error and no answer", async (_what, reply) => {
    const { failure } = await ask(type, reply);
    expect(failure).toMatchObject({ code: "model_error" });
  });
});

describe.each([
  "openai_compatible",
  "openai",
  "anthropic",
  "azure_openai",
  "google",
  "deepseek",
  "mistral",
  "xai",
  "zai",
  "ollama",
])("a refusal of %s", (type) => {
  test("tells its reason and never the key", async () => {
    const { failure } = await ask(type, {
      status: 401,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ type: "error", error: { message: `bad key ${KEY}` }, message: "bad" }),
    });
    expect(failure?.message).toContain("refused the key (401)");
    expect(failure?.message).not.toContain(KEY);
  });
});
