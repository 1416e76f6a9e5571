import { dataLines } from "../provider-server.ts";
import { KEY, QUESTION, RESULT, type Transcript } from "./transcript.ts";

const chunk = (parts: readonly object[], finishReason?: string) => ({
  candidates: [
    {
      content: { parts, role: "model" },
      index: 0,
      ...(finishReason ? { finishReason } : {}),
    },
  ],
  usageMetadata: {
    promptTokenCount: 100,
    candidatesTokenCount: 12,
    thoughtsTokenCount: 8,
    cachedContentTokenCount: 64,
    totalTokenCount: 120,
  },
  modelVersion: "gemini-3-pro",
});

/** Thoughts are parts with a mark, and a signature rides on the call, which comes in one piece. */
export const google: Transcript = {
  type: "google",
  base_path: "/v1beta",
  model_name: "gemini-3-pro-preview",
  steps: [
    dataLines(
      chunk([{ text: "They want ", thought: true }]),
      chunk([{ text: "the time.", thought: true }]),
      chunk([{ text: "Let me look." }]),
      chunk(
        [
          {
            functionCall: { name: "current_time", args: { time_zone: "Europe/Helsinki" } },
            thoughtSignature: "c2lnbmF0dXJlLTE=",
          },
        ],
        "STOP",
      ),
    ),
    dataLines(chunk([{ text: "It is noon" }]), chunk([{ text: " – 正午." }], "STOP")),
  ],
  expected: {
    path: "/v1beta/models/gemini-3-pro-preview:streamGenerateContent?alt=sse",
    headers: { "x-goog-api-key": KEY },
    first: {
      systemInstruction: { parts: [{ text: "Help." }] },
      contents: [{ role: "user", parts: [{ text: QUESTION }] }],
      tools: [{ functionDeclarations: [{ name: "current_time" }] }],
    },
    second: {
      contents: [
        { role: "user", parts: [{ text: QUESTION }] },
        {
          role: "model",
          parts: [
            { text: "They want the time.", thought: true },
            { text: "Let me look." },
            {
              functionCall: { name: "current_time", args: { time_zone: "Europe/Helsinki" } },
              thoughtSignature: "c2lnbmF0dXJlLTE=",
            },
          ],
        },
        {
          role: "user",
          parts: [{ functionResponse: { name: "current_time", response: { content: RESULT } } }],
        },
      ],
    },
    reasoning: "They want the time.",
    usage: { prompt_tokens: 100, completion_tokens: 20, cached_prompt_tokens: 64 },
  },
};
