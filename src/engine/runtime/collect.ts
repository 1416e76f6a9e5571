import { z } from "zod";
import { isLastFrame } from "../events/channel.ts";
import type { WireEvent, WireFrame } from "../events/wire.ts";
import { Citation } from "../knowledge/citation.ts";
import type { AcceptedTurn } from "./chat.ts";

/** A turn as one answer (specification 4 Chat, non-streaming). */
export const ChatAnswer = z.object({
  session_id: z.string(),
  schema_id: z.string(),
  message: z.string(),
  error: z.string().optional(),
  tool_calls: z
    .array(
      z.object({
        tool: z.string(),
        input: z.string(),
        output: z.string().optional(),
        citations: z.array(Citation).optional(),
      }),
    )
    .optional(),
});
export type ChatAnswer = z.infer<typeof ChatAnswer>;

/** Waits for the turn's end. */
export function collect(turn: AcceptedTurn): Promise<ChatAnswer> {
  const frames: WireFrame[] = [];
  const { promise, resolve } = Promise.withResolvers<ChatAnswer>();
  const take = (frame: WireFrame): void => {
    frames.push(frame);
    if (isLastFrame(frame)) resolve(toAnswer(turn, frames));
  };
  for (const frame of turn.replay) take(frame);
  const stop = turn.follow(take);
  return promise.finally(stop);
}

/** The last complete message, or what was said of one, or at least what went wrong. */
function toAnswer(
  { session_id, schema_id }: Pick<AcceptedTurn, "session_id" | "schema_id">,
  events: readonly WireEvent[],
): ChatAnswer {
  const whole = events.findLast((event) => event.event === "message" && event.data.content !== "");
  const failed = events.findLast((event) => event.event === "error");
  const parts = events.map(({ event, data }) => (event === "message_delta" ? data.content : ""));
  const error = failed?.event === "error" ? failed.data.message : undefined;
  const message = whole?.event === "message" ? whole.data.content : parts.join("");
  const tool_calls = toToolCalls(events);
  return {
    session_id,
    schema_id,
    message: message || (error ?? ""),
    ...(error === undefined ? {} : { error }),
    ...(tool_calls.length === 0 ? {} : { tool_calls }),
  };
}

function toToolCalls(events: readonly WireEvent[]): NonNullable<ChatAnswer["tool_calls"]> {
  return events.flatMap(({ event, data }) => {
    if (event !== "tool_call") return [];
    const { tool, input, call_id } = data;
    const result = events.find(
      (other) => other.event === "tool_result" && other.data.call_id === call_id,
    );
    if (result?.event !== "tool_result") return [{ tool, input }];
    const { content: output, citations = [] } = result.data;
    return [{ tool, input, output, ...(citations.length > 0 && { citations: [...citations] }) }];
  });
}
