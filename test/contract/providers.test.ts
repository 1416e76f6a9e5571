import { describe, expect, test } from "vitest";
import { createChatModel } from "#engine/providers/create.ts";
import { MODEL_TYPE_NAMES } from "#engine/providers/model-types.ts";
import { startTestApp } from "../support/app.ts";
import { type ProviderReply, startProviderServer } from "../support/provider-server.ts";
import { anthropic } from "../support/transcripts/anthropic.ts";
import { chatCompletions } from "../support/transcripts/chat-completions.ts";
import { google } from "../support/transcripts/google.ts";
import { mistral } from "../support/transcripts/mistral.ts";
import { ollama } from "../support/transcripts/ollama.ts";
import { KEY, QUESTION, type Transcript } from "../support/transcripts/transcript.ts";
import { xai } from "../support/transcripts/xai.ts";

const TRANSCRIPTS: readonly Transcript[] = [
  ...chatCompletions,
  mistral,
  anthropic,
  google,
  xai,
  ollama,
];

type Turn = Omit<Transcript, "steps"> & { readonly steps: readonly (ProviderReply | string)[] };

async function startTurn(turn: Turn, agent: Record<string, unknown> = {}) {
  const { type, base_path, model_name, fields, steps } = turn;
  const provider = await startProviderServer(...steps);
  const app = await startTestApp();
  const admin = await app.as("admin");
  const base_url = provider.origin + base_path;
  const model = { name: "main", type, model_name, base_url, api_key: KEY, ...fields };
  expect((await admin.post("/models", model)).status).toBe(201);
  const tools = ["current_time"];
  await admin.post("/agents", { name: "helper", system: "Help.", tools, ...agent });
  await admin.post("/schemas", { name: "support", entry_agent_id: "helper", chat_enabled: true });
  const { body } = await admin.post("/schemas/support/chat", { message: QUESTION, stream: false });
  return { provider, answer: body, events: await app.store.read.events.list(body.session_id) };
}

describe("a turn of two steps with a tool", () => {
  test("is tried with every type that can be configured", () => {
    const tried = TRANSCRIPTS.map(({ type }) => type);
    expect(new Set([...tried, "demo"])).toEqual(new Set(MODEL_TYPE_NAMES));
  });

  test.each(TRANSCRIPTS.map((transcript) => [transcript.type, transcript] as const))(
    "speaks the protocol of %s: what it asks, what it takes, and what it brings back",
    async (_type, transcript) => {
      const { expected } = transcript;
      const { provider, answer, events } = await startTurn(transcript);

      expect(answer).not.toHaveProperty("error");
      expect(answer.message).toBe("It is noon – 正午.");
      expect(provider.requests).toHaveLength(2);
      for (const request of provider.requests) {
        expect(request.path).toBe(expected.path);
        expect(request.headers).toMatchObject(expected.headers);
      }
      expect(provider.requests[0]?.body).toMatchObject(expected.first);
      expect(provider.requests[1]?.body).toMatchObject(expected.second);

      const payloadOf = (type: string) => events.find((event) => event.type === type)?.payload;
      expect(payloadOf("tool_call")).toMatchObject({ tool: "current_time" });
      expect(JSON.parse((payloadOf("tool_call") as { input: string }).input)).toEqual({
        time_zone: "Europe/Helsinki",
      });
      expect(payloadOf("assistant_message")).toMatchObject({ content: "Let me look." });
      expect((payloadOf("reasoning") as { content?: string } | undefined)?.content).toBe(
        expected.reasoning,
      );
      expect(payloadOf("step_finished")).toMatchObject({
        finish_reason: "tool-calls",
        usage: expected.usage,
      });
    },
  );
});

describe("Anthropic", () => {
  test("is asked again without the reasoning that it does not take back", async () => {
    const [first, second] = anthropic.steps;
    const message =
      "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
    const refusal = {
      status: 400,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }),
    };
    const { provider, answer } = await startTurn({ ...anthropic, steps: [first, refusal, second] });
    expect(answer.message).toBe("It is noon – 正午.");
    const said = provider.requests.map(({ body }) => JSON.stringify(body.messages));
    expect(said.map((text) => text.includes("thinking"))).toEqual([false, true, false]);
    expect(said[2]).toContain("tool_use");
  });

  test("is told the tools of the conversation when it is to use none of them any more", async () => {
    const { provider, answer } = await startTurn(anthropic, { max_steps: 1 });
    expect(answer.message).toBe("It is noon – 正午.");
    expect(provider.requests[1]?.body).toMatchObject({
      tools: [{ name: "current_time" }],
      tool_choice: { type: "none" },
      messages: [{}, {}, { content: [{ type: "tool_result" }, { type: "text" }] }],
    });
  });

  test("is not asked again when it refuses something else", async () => {
    const refusal = { status: 400, body: '{"error":{"message":"max_tokens: too many"}}' };
    const { provider, answer } = await startTurn({ ...anthropic, steps: [refusal] });
    expect(answer.error).toContain("max_tokens: too many");
    expect(provider.requests).toHaveLength(1);
  });
});

describe("OpenAI itself", () => {
  test("is asked in its own words for the length of an answer, and is told no reasoning", async () => {
    const provider = await startProviderServer(chatCompletions[0]?.steps[1] ?? "");
    const base_url = `${provider.origin}/v1`;
    const model = await createChatModel({
      type: "openai",
      model_name: "gpt",
      base_url,
      api_key: KEY,
    });
    const { stream } = await model.doStream({
      prompt: [
        { role: "user", content: [{ type: "text", text: "Hi" }] },
        {
          role: "assistant",
          content: [
            { type: "reasoning", text: "Hm." },
            { type: "text", text: "Hello" },
          ],
        },
        { role: "user", content: [{ type: "text", text: "And?" }] },
      ],
      maxOutputTokens: 50,
    });
    const parts = [];
    for await (const part of stream) parts.push(part.type);
    expect(parts).toContain("finish");
    const { body } = provider.requests[0] ?? {};
    expect(body).toMatchObject({ max_completion_tokens: 50 });
    expect(body).not.toHaveProperty("max_tokens");
    expect(JSON.stringify(body.messages)).not.toContain("reasoning");
  });
});
