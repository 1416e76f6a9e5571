import type { LanguageModelV4Message } from "@ai-sdk/provider";
import type { ChatModelCall, ModelConnection } from "./provider.ts";

/** One line of the runtime's answer. */
export interface OllamaChunk {
  readonly error?: string;
  readonly message?: {
    readonly content?: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly OllamaToolCall[];
  };
  readonly done?: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
}

interface OllamaToolCall {
  readonly function: { readonly name: string; readonly arguments?: unknown };
}

interface OllamaMessage {
  readonly role: string;
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly OllamaToolCall[];
  readonly tool_name?: string;
}

/** A call in the local runtime's own form. Pure. */
export function toOllamaRequest(
  { model_name, context_size }: ModelConnection,
  call: ChatModelCall,
) {
  const { tools = [], temperature, topP, maxOutputTokens, stopSequences, prompt } = call;
  const options = {
    ...(context_size ? { num_ctx: context_size } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxOutputTokens === undefined ? {} : { num_predict: maxOutputTokens }),
    ...(stopSequences === undefined ? {} : { stop: stopSequences }),
  };
  const functions = tools.flatMap((tool) =>
    tool.type === "function"
      ? [
          {
            type: "function",
            function: {
              name: tool.name,
              description: tool.description,
              parameters: tool.inputSchema,
            },
          },
        ]
      : [],
  );
  return {
    model: model_name,
    stream: true,
    messages: prompt.flatMap(toMessages),
    options,
    ...(functions.length > 0 ? { tools: functions } : {}),
  };
}

function toMessages(message: LanguageModelV4Message): OllamaMessage[] {
  switch (message.role) {
    case "system":
      return [{ role: "system", content: message.content }];
    case "user":
      return [
        {
          role: "user",
          content: message.content.map((part) => (part.type === "text" ? part.text : "")).join(""),
        },
      ];
    case "assistant":
      return [toAssistantMessage(message)];
    case "tool":
      return message.content.flatMap((part) => {
        if (part.type !== "tool-result") return [];
        const { output } = part;
        const content = "value" in output ? textOf(output.value) : "";
        return [{ role: "tool", tool_name: part.toolName, content }];
      });
  }
}

function toAssistantMessage({
  content,
}: LanguageModelV4Message & { role: "assistant" }): OllamaMessage {
  const text = (type: "text" | "reasoning") =>
    content.map((part) => (part.type === type ? part.text : "")).join("");
  const thinking = text("reasoning");
  const tool_calls = content.flatMap((part) =>
    part.type === "tool-call" ? [{ function: { name: part.toolName, arguments: part.input } }] : [],
  );
  return {
    role: "assistant",
    content: text("text"),
    ...(thinking ? { thinking } : {}),
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
  };
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value);
