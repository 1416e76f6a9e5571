import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { Fact, ProviderMetadata } from "../events/event.ts";

type AssistantMessage = Extract<LanguageModelV4Message, { role: "assistant" }>;

/** The facts of a conversation as a provider reads them. */
export function toPrompt(system: string, transcript: readonly Fact[]): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system ? [{ role: "system", content: system }] : [];
  for (const fact of transcript) addFact(prompt, fact);
  return prompt;
}

function addFact(prompt: LanguageModelV4Prompt, fact: Fact): void {
  switch (fact.type) {
    case "user_message":
      prompt.push({ role: "user", content: [{ type: "text", text: fact.payload.content }] });
      return;
    case "system":
      prompt.push({ role: "system", content: fact.payload.content });
      return;
    case "reasoning":
    case "assistant_message": {
      const { content, provider_metadata } = fact.payload;
      const type = fact.type === "reasoning" ? "reasoning" : "text";
      assistantMessage(prompt).content.push({ type, text: content, ...options(provider_metadata) });
      return;
    }
    case "tool_call": {
      const { tool, input, provider_metadata } = fact.payload;
      assistantMessage(prompt).content.push({
        type: "tool-call",
        toolCallId: fact.call_id,
        toolName: tool,
        input: parseArguments(input),
        ...options(provider_metadata),
      });
      return;
    }
    case "tool_result":
      addToolResult(prompt, fact);
      return;
    case "step_finished":
    case "turn_recovered":
    case "turn_finished":
      return;
  }
}

/** What one step said and called belongs into one message, so that providers accept the pairs. */
function assistantMessage(prompt: LanguageModelV4Prompt): AssistantMessage {
  const last = prompt.at(-1);
  if (last?.role === "assistant") return last;
  const message: AssistantMessage = { role: "assistant", content: [] };
  prompt.push(message);
  return message;
}

function addToolResult(prompt: LanguageModelV4Prompt, fact: Fact & { type: "tool_result" }): void {
  const { tool, content, is_error } = fact.payload;
  const part = {
    type: "tool-result" as const,
    toolCallId: fact.call_id,
    toolName: tool,
    output: { type: is_error ? ("error-text" as const) : ("text" as const), value: content },
  };
  const last = prompt.at(-1);
  if (last?.role === "tool") last.content.push(part);
  else prompt.push({ role: "tool", content: [part] });
}

/** Providers want an object back, also for arguments that the model got wrong. */
function parseArguments(input: string): unknown {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

const options = (metadata: ProviderMetadata | undefined) =>
  metadata ? { providerOptions: metadata as SharedV4ProviderOptions } : {};
