import { describe, expect, test } from "vitest";
import { MODEL_TYPE_NAMES } from "#engine/providers/model-types.ts";
import { startTestApp } from "../support/app.ts";
import { startProviderServer } from "../support/provider-server.ts";
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

async function startTurn({ type, base_path, model_name, fields, steps }: Transcript) {
  const provider = await startProviderServer(...steps);
  const app = await startTestApp();
  const admin = await app.as("admin");
  const base_url = provider.origin + base_path;
  const model = { name: "main", type, model_name, base_url, api_key: KEY, ...fields };
  expect((await admin.post("/models", model)).status).toBe(201);
  await admin.post("/agents", { name: "helper", system: "Help.", tools: ["current_time"] });
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
