import { setTimeout as delay } from "node:timers/promises";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { planReply, type Reply } from "./demo-reply.ts";
import { partStream } from "./part-stream.ts";
import type { ChatModel, ChatModelCall } from "./provider.ts";

/** Between words, when the message asks for a slow answer. */
const SLOW_WORD_MS = 30;

/** The offline model: deterministic, and honest about what it is. It needs no key and no network. */
export const demoModel: ChatModel = {
  async doStream(call) {
    const reply = planReply(call.prompt, toolNames(call));
    return { stream: partStream(speak(reply, call)) };
  },
};

const toolNames = ({ tools = [] }: ChatModelCall): string[] => tools.map(({ name }) => name);

async function* speak(
  reply: Reply,
  call: ChatModelCall,
): AsyncGenerator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  if (reply.reasoning) {
    yield { type: "reasoning-start", id: "reasoning" };
    yield { type: "reasoning-delta", id: "reasoning", delta: reply.reasoning };
    yield { type: "reasoning-end", id: "reasoning" };
  }
  if (reply.text) {
    yield { type: "text-start", id: "text" };
    for (const delta of wordsOf(reply.text)) {
      call.abortSignal?.throwIfAborted();
      if (reply.slowly) await delay(SLOW_WORD_MS, undefined, { signal: call.abortSignal });
      yield { type: "text-delta", id: "text", delta };
    }
    yield { type: "text-end", id: "text" };
  }
  const calls = reply.tool_calls ?? [];
  for (const [index, { tool, input }] of calls.entries()) {
    const toolCallId = `demo-${call.prompt.length}-${index}`;
    yield { type: "tool-call", toolCallId, toolName: tool, input: JSON.stringify(input) };
  }
  yield finish(call, reply, calls.length > 0);
}

/** Each word with the space behind it, so that the pieces add up to the text. */
const wordsOf = (text: string): string[] => text.match(/\s*\S+\s*/g) ?? [text];

/** Words stand for tokens. */
const count = (text: string): number => text.split(/\s+/).filter(Boolean).length;

function finish(call: ChatModelCall, reply: Reply, calls: boolean): LanguageModelV4StreamPart {
  const asked = count(call.prompt.map(({ content }) => textOf(content)).join(" "));
  const said = count(reply.text ?? "") + count(JSON.stringify(reply.tool_calls ?? ""));
  const thought = count(reply.reasoning ?? "");
  return {
    type: "finish",
    finishReason: { unified: calls ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: asked, noCache: asked, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: said + thought, text: said, reasoning: thought },
    },
  };
}

const textOf = (content: unknown): string =>
  typeof content === "string" ? content : JSON.stringify(content);
