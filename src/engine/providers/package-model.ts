import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { EngineError } from "../kernel/error.ts";
import type { ChatModel, ChatModelCall } from "./provider.ts";
import { joinReasoning, splitReasoning } from "./reasoning.ts";

/** Changes a call before the package sees it. */
export type PrepareCall = (call: ChatModelCall) => ChatModelCall;

/**
 * A provider package's model as the engine needs it: its reasoning comes back to it as it came, and an
 * answer without an end is an error and no answer.
 */
export const packageModel = (model: ChatModel, prepare: PrepareCall): ChatModel => ({
  async doStream(call) {
    const prepared = prepare({ ...call, prompt: splitReasoning(call.prompt) });
    const { stream } = await model.doStream(prepared);
    return { stream: stream.pipeThrough(joinReasoning()).pipeThrough(requireEnd()) };
  },
});

function requireEnd(): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  let over = false;
  return new TransformStream({
    transform(part, controller) {
      if (part.type === "finish") requireGoodEnd(part);
      over ||= part.type === "finish" || part.type === "error";
      controller.enqueue(part);
    },
    flush() {
      if (!over) throw cutOff();
    },
  });
}

function requireGoodEnd({ finishReason }: LanguageModelV4StreamPart & { type: "finish" }): void {
  const { unified, raw } = finishReason;
  // What packages say when the server gave no reason why it stopped.
  if (raw === undefined && (unified === "other" || unified === "interrupted")) throw cutOff();
  if (unified === "error") {
    throw new EngineError("model_error", `the model failed: ${raw ?? "no reason given"}`);
  }
}

const cutOff = () => new EngineError("model_error", "the model's answer was cut off");
