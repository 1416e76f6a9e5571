import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ChatModel, ChatModelCall, CreateChatModel } from "#engine/providers/provider.ts";

export type Step =
  | {
      readonly text?: string;
      readonly reasoning?: string;
      readonly calls?: readonly ScriptedCall[];
      readonly usage?: { prompt: number; completion: number };
    }
  | { readonly fail: Error }
  /** Says the text, then waits until the turn is aborted or `release` is called. */
  | { readonly text: string; readonly hold: true };

/** A step, or how to make one of what the model is asked. */
type Scripted = Step | ((call: ChatModelCall) => Step);

interface ScriptedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: unknown;
}

export interface ScriptedModel {
  readonly create: CreateChatModel;
  /** What the model was asked, call by call. */
  readonly calls: ChatModelCall[];
  script(...steps: Scripted[]): void;
  release(): void;
  /** Resolves when a step that holds has been heard. */
  held(): Promise<void>;
}

/** A model that plays a script: the only part of a contract test that is not the product. */
export function scriptedModel(...steps: Step[]): ScriptedModel {
  const script: Scripted[] = [...steps];
  const calls: ChatModelCall[] = [];
  let release: () => void = () => {};
  let reached: () => void = () => {};
  let isHeld = new Promise<void>((resolve) => {
    reached = resolve;
  });

  const model: ChatModel = {
    async doStream(call) {
      calls.push(call);
      const next = script.shift() ?? { text: "(the script is over)" };
      const step = typeof next === "function" ? next(call) : next;
      if ("fail" in step) throw step.fail;
      const parts = partsOf(step);
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
        },
        // Once all that was said is taken.
        async pull(controller) {
          if ("hold" in step) {
            const aborted = new Promise<void>((resolve) => {
              release = resolve;
              call.abortSignal?.addEventListener("abort", () => resolve(), { once: true });
            });
            reached();
            await aborted;
            isHeld = new Promise<void>((resolve) => {
              reached = resolve;
            });
            if (call.abortSignal?.aborted) return controller.error(call.abortSignal.reason);
          }
          controller.enqueue(finish(step));
          controller.close();
        },
      });
      return { stream };
    },
  };
  return {
    create: async () => model,
    calls,
    script: (...more) => script.push(...more),
    release: () => release(),
    held: () => isHeld,
  };
}

function partsOf(step: Exclude<Step, { fail: Error }>): LanguageModelV4StreamPart[] {
  const parts: LanguageModelV4StreamPart[] = [{ type: "stream-start", warnings: [] }];
  if ("reasoning" in step && step.reasoning) {
    parts.push({ type: "reasoning-start", id: "r" });
    parts.push({ type: "reasoning-delta", id: "r", delta: step.reasoning });
    parts.push({ type: "reasoning-end", id: "r", providerMetadata: { test: { signature: "s1" } } });
  }
  if (step.text) {
    parts.push({ type: "text-start", id: "t" });
    for (const word of step.text.match(/\S+\s*/g) ?? [])
      parts.push({ type: "text-delta", id: "t", delta: word });
    parts.push({ type: "text-end", id: "t" });
  }
  for (const { id, tool, input } of "calls" in step ? (step.calls ?? []) : []) {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    parts.push({ type: "tool-call", toolCallId: id, toolName: tool, input: text });
  }
  return parts;
}

function finish(step: Exclude<Step, { fail: Error }>): LanguageModelV4StreamPart {
  const usage = "usage" in step ? step.usage : undefined;
  const calls = "calls" in step && step.calls !== undefined;
  return {
    type: "finish",
    finishReason: { unified: calls ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: {
        total: usage?.prompt,
        noCache: undefined,
        cacheRead: undefined,
        cacheWrite: undefined,
      },
      outputTokens: { total: usage?.completion, text: undefined, reasoning: undefined },
    },
  };
}
