import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, expect, onTestFinished, test } from "vitest";
import { ollamaModel } from "./ollama.ts";
import type { ChatModelCall } from "./provider.ts";

async function startOllama(status: number, body: string) {
  const requests: unknown[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    requests.push({ url: request.url, body: JSON.parse(text) });
    response.writeHead(status);
    // In odd pieces, as a socket may deliver them.
    for (let at = 0; at < body.length; at += 7) response.write(body.slice(at, at + 7));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const lines = (...values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");

const CALL: ChatModelCall = {
  prompt: [
    { role: "system", content: "Help." },
    { role: "user", content: [{ type: "text", text: "time?" }] },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm." },
        { type: "tool-call", toolCallId: "1", toolName: "current_time", input: {} },
      ],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "1",
          toolName: "current_time",
          output: { type: "text", value: "noon" },
        },
      ],
    },
  ],
  tools: [
    {
      type: "function",
      name: "current_time",
      description: "Time.",
      inputSchema: { type: "object" },
    },
  ],
  temperature: 0.5,
  maxOutputTokens: 100,
};

async function speak(connection: { base_url: string }, call = CALL) {
  const model = ollamaModel({
    type: "ollama",
    model_name: "tiny",
    context_size: 8192,
    ...connection,
  });
  const { stream } = await model.doStream(call);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

describe("the local runtime", () => {
  test("is asked through its native route, with the context size that the agent has", async () => {
    const ollama = await startOllama(
      200,
      lines({ message: { content: "ok" } }, { done: true, done_reason: "stop" }),
    );
    await speak(ollama);
    expect(ollama.requests).toEqual([
      {
        url: "/api/chat",
        body: {
          model: "tiny",
          stream: true,
          options: { num_ctx: 8192, temperature: 0.5, num_predict: 100 },
          messages: [
            { role: "system", content: "Help." },
            { role: "user", content: "time?" },
            {
              role: "assistant",
              content: "",
              thinking: "Hm.",
              tool_calls: [{ function: { name: "current_time", arguments: {} } }],
            },
            { role: "tool", tool_name: "current_time", content: "noon" },
          ],
          tools: [
            {
              type: "function",
              function: {
                name: "current_time",
                description: "Time.",
                parameters: { type: "object" },
              },
            },
          ],
        },
      },
    ]);
  });

  test("streams thinking, text, calls without ids, and its counts", async () => {
    const ollama = await startOllama(
      200,
      lines(
        { message: { thinking: "Well…" } },
        { message: { content: "Grüße 你好" } },
        {
          message: {
            tool_calls: [
              { function: { name: "a", arguments: { x: 1 } } },
              { function: { name: "a" } },
            ],
          },
        },
        { done: true, done_reason: "stop", prompt_eval_count: 12, eval_count: 3 },
      ),
    );
    const parts = await speak(ollama);
    expect(parts.slice(1)).toMatchObject([
      { type: "reasoning-delta", delta: "Well…" },
      { type: "text-delta", delta: "Grüße 你好" },
      { type: "tool-call", toolName: "a", input: '{"x":1}' },
      { type: "tool-call", toolName: "a", input: "{}" },
      {
        type: "finish",
        finishReason: { unified: "tool-calls" },
        usage: { inputTokens: { total: 12 }, outputTokens: { total: 3 } },
      },
    ]);
    const ids = parts.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
    expect(new Set(ids).size).toBe(2);
  });

  test.each([
    [
      "a model that is not pulled",
      404,
      '{"error":"model \'tiny\' not found"}',
      /run `ollama pull tiny`/,
    ],
    ["an error in the stream", 200, lines({ error: "out of memory" }), /out of memory/],
    ["a stream without an end", 200, lines({ message: { content: "Hi" } }), /cut off/],
    ["a line that is no JSON", 200, "<html>\n", /can't be used/],
    ["a line that never ends", 200, "x".repeat(4 * 1024 * 1024 + 8), /can't be used/],
  ])("%s becomes a clear error", async (_what, status, body, message) => {
    const ollama = await startOllama(status, body);
    await expect(speak(ollama)).rejects.toThrow(message);
  });
});
