import { z } from "zod";
import { isLastFrame } from "../events/channel.ts";
import type { WireEvent, WireFrame } from "../events/wire.ts";
import type { AcceptedTurn } from "./chat.ts";

/** A turn as one answer (specification 4 Chat, non-streaming). */
export const ChatAnswer = z.object({
  session_id: z.string(),
  schema_id: z.string(),
  message: z.string(),
  error: z.string().optional(),
  tool_calls: z
    .array(z.object({ tool: z.string(), input: z.string(), output: z.string().optional() }))
    .optional(),
});
export type ChatAnswer = z.infer<typeof ChatAnswer>;

/** Waits for the turn's end. */
export function collect(turn: AcceptedTurn): Promise<ChatAnswer> {
  const frames: WireFrame[] = [];
  return new Promise((resolve) => {
    turn.follow((frame) => {
      frames.push(frame);
      if (isLastFrame(frame)) resolve(toAnswer(turn, frames));
    });
  });
}

/** The last complete message, or what was said of one, or at least what went wrong. */
export function toAnswer(
  { session_id, schema_id }: Pick<AcceptedTurn, "session_id" | "schema_id">,
  events: readonly WireEvent[],
): ChatAnswer {
  let whole = "";
  let parts = "";
  let error: string | undefined;
  const calls = new Map<string, { tool: string; input: string; output?: string }>();
  for (const { event, data } of events) {
    if (event === "message" && data.content) whole = data.content;
    if (event === "message_delta") parts += data.content;
    if (event === "error") error = data.message;
    if (event === "tool_call") {
      calls.set(data.call_id, { tool: data.tool, input: data.input });
    }
    if (event === "tool_result") {
      const call = calls.get(data.call_id);
      if (call) call.output = data.content;
    }
  }
  return {
    session_id,
    schema_id,
    message: whole || parts || (error ?? ""),
    ...(error === undefined ? {} : { error }),
    ...(calls.size === 0 ? {} : { tool_calls: [...calls.values()] }),
  };
}
