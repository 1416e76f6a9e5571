import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { ChatModelCall } from "./provider.ts";

/** Some protocols know one system text, at the beginning; what was said later is added to it. Pure. */
export function systemFirst(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const texts = prompt.flatMap((message) => (message.role === "system" ? [message.content] : []));
  if (texts.length === 0) return prompt;
  const others = prompt.filter(({ role }) => role !== "system");
  return [{ role: "system", content: texts.join("\n\n") }, ...others];
}

/**
 * For protocols that know one system text, at the beginning, but where a changed beginning is dear: it
 * undoes the cache, and reasoning that was signed after it. What was said later stays where it was. Pure.
 */
export function laterSystemAsUser(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  const first = prompt.findIndex(({ role }) => role !== "system");
  return prompt.map((message, index) => {
    if (message.role !== "system" || index < first || first === -1) return message;
    const text = `[System note] ${message.content}`;
    return { role: "user", content: [{ type: "text", text }] };
  });
}

/** Gives calls and their results ids that the protocol takes: a session may have had another model. Pure. */
export const renameCalls = (
  prompt: LanguageModelV4Prompt,
  rename: (id: string) => string,
): LanguageModelV4Prompt => prompt.map((message) => withRenamedCalls(message, rename));

function withRenamedCalls(
  message: LanguageModelV4Message,
  rename: (id: string) => string,
): LanguageModelV4Message {
  if (message.role === "assistant") {
    const content = message.content.map((part) =>
      part.type === "tool-call" ? { ...part, toolCallId: rename(part.toolCallId) } : part,
    );
    return { ...message, content };
  }
  if (message.role === "tool") {
    const content = message.content.map((part) =>
      part.type === "tool-result" ? { ...part, toolCallId: rename(part.toolCallId) } : part,
    );
    return { ...message, content };
  }
  return message;
}

/** For servers that know no reasoning in a message and refuse what they don't know. Pure. */
export const withoutReasoning = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.flatMap((message): LanguageModelV4Message[] => {
    if (message.role !== "assistant") return [message];
    const content = message.content.filter(({ type }) => type !== "reasoning");
    return content.length === 0 ? [] : [{ ...message, content }];
  });

/** For protocols that refuse calls in a conversation without tools: declares those, but not for use. Pure. */
export function withToolsOfHistory(call: ChatModelCall): ChatModelCall {
  if (call.tools && call.tools.length > 0) return call;
  const names = call.prompt.flatMap(({ role, content }) =>
    role === "assistant"
      ? content.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []))
      : [],
  );
  if (names.length === 0) return call;
  const tools = [...new Set(names)].map((name) => ({
    type: "function" as const,
    name,
    inputSchema: { type: "object" as const },
  }));
  return { ...call, tools, toolChoice: { type: "none" } };
}
