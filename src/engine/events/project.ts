import {
  argumentTexts,
  type Event,
  interruptContent,
  isShownAsInterrupt,
  type Usage,
} from "./event.ts";
import { frameId, type WireEvent, type WireFrame } from "./wire.ts";

/** Longest text of a tool result's one-line summary, in characters. */
const SUMMARY_LENGTH = 200;

/**
 * The frame that tells a client of a durable event; bookkeeping and the user's own words have none, and
 * of a sub-agent's work only what asks a person.
 */
export function toFrame(event: Event): WireFrame | undefined {
  const wire = toHumanEvent(event) ?? (event.run_id === undefined ? toWireEvent(event) : undefined);
  return wire && { ...wire, id: frameId(event.seq), turn_id: event.turn_id };
}

function toHumanEvent(event: Event): WireEvent | undefined {
  const { session_id } = event;
  switch (event.type) {
    case "interrupt_request":
    case "interrupt_resume": {
      const data = { interrupt_id: event.call_id, content: interruptContent(event), session_id };
      return { event: event.type, data };
    }
    case "confirmation_request": {
      const { tool, content } = event.payload;
      return { event: "confirmation", data: { content, call_id: event.call_id, tool, session_id } };
    }
    case "confirmation_answer":
      // The entry agent's is told by its call's result, which a sub-agent keeps to itself.
      return event.run_id === undefined ? undefined : approvalAnswered(event);
    default:
      return undefined;
  }
}

/** In the words in which approvals are answered. */
function approvalAnswered(event: Event & { type: "confirmation_answer" }): WireEvent {
  const { call_id: interrupt_id, session_id } = event;
  const { is_approved, reason } = event.payload;
  const answer = is_approved ? "approve" : `reject${reason ? `: ${reason}` : ""}`;
  const payload = { answers: [answer] };
  const content = JSON.stringify({ interrupt_id, kind: "confirmation", payload });
  return { event: "interrupt_resume", data: { interrupt_id, content, session_id } };
}

function toWireEvent(event: Event): WireEvent | undefined {
  switch (event.type) {
    case "assistant_message":
      return { event: "message", data: { content: event.payload.content } };
    case "tool_call": {
      const { tool, input } = event.payload;
      if (isShownAsInterrupt(tool)) return undefined;
      const texts = argumentTexts(input);
      const data = { tool, call_id: event.call_id, input };
      return { event: "tool_call", data: texts ? { ...data, arguments: texts } : data };
    }
    case "tool_result": {
      const { tool, content, is_error, citations } = event.payload;
      if (isShownAsInterrupt(tool)) return undefined;
      const { call_id } = event;
      const summary = summarise(content);
      const data = { tool, call_id, content, summary, has_error: is_error ?? false };
      return { event: "tool_result", data: citations ? { ...data, citations } : data };
    }
    case "turn_finished":
      return event.payload.error ? errorEvent(event.payload.error) : doneEvent(event);
    default:
      return undefined;
  }
}

const errorEvent = ({ code, message }: { code: string; message: string }): WireEvent => ({
  event: "error",
  data: { content: message, code, message },
});

function doneEvent(event: Event & { type: "turn_finished" }): WireEvent {
  const { usage, context_tokens } = event.payload;
  const counts = { ...usage, total_tokens: totalTokens(usage), context_tokens };
  const known = Object.entries(counts).filter(([, count]) => count !== undefined && count > 0);
  return { event: "done", data: { session_id: event.session_id, ...Object.fromEntries(known) } };
}

const totalTokens = ({ prompt_tokens, completion_tokens }: Usage): number | undefined =>
  prompt_tokens === undefined && completion_tokens === undefined
    ? undefined
    : (prompt_tokens ?? 0) + (completion_tokens ?? 0);

/** A tool's result in one line, for lists and logs. */
function summarise(content: string): string {
  const line = content
    .slice(0, SUMMARY_LENGTH * 2)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > SUMMARY_LENGTH ? `${line.slice(0, SUMMARY_LENGTH - 1)}…` : line;
}
