import type { PublicEvent } from "#engine/events/event.ts";
import { type Ask, parseInterrupt } from "./interrupt.ts";
import { piecesOf } from "./markdown-stream.ts";

/** What stands in the transcript. An entry is shown once and never changes. */
export type EntryContent =
  | { readonly kind: "header" }
  | { readonly kind: "user"; readonly text: string }
  | {
      readonly kind: "assistant";
      readonly source: string;
      /** The first piece of an answer. */
      readonly opening: boolean;
      readonly continued: boolean;
    }
  | { readonly kind: "reasoning"; readonly text: string; readonly duration_ms?: number | undefined }
  | { readonly kind: "tool"; readonly call: ToolCall }
  | { readonly kind: "ask"; readonly ask: Ask; readonly session_id: string }
  | { readonly kind: "error"; readonly message: string }
  | { readonly kind: "notice"; readonly text: string };

export type Entry = EntryContent & {
  readonly id: number;
  /** Shown with its details. */
  readonly expanded: boolean;
};

export interface ToolCall {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments?: Readonly<Record<string, string>> | undefined;
  readonly started_at: number;
  readonly result?: ToolResult | undefined;
}

export interface ToolResult {
  readonly content: string;
  readonly failed: boolean;
  readonly duration_ms?: number | undefined;
}

/** One answer as entries, a piece each. */
export const answerEntries = (text: string): EntryContent[] =>
  piecesOf(text).map((piece, index) => ({ kind: "assistant", ...piece, opening: index === 0 }));

/** A session as it was persisted; a call stands where its result came. */
export function restoredEntries(
  session_id: string,
  events: readonly PublicEvent[],
): EntryContent[] {
  const calls = new Map<string, ToolCall>();
  const entries = events.flatMap((event) => restoredEntry(session_id, event, calls));
  return [...entries, ...[...calls.values()].map((call): EntryContent => ({ kind: "tool", call }))];
}

function restoredEntry(
  session_id: string,
  event: PublicEvent,
  calls: Map<string, ToolCall>,
): EntryContent[] {
  const content = textOf(event.payload.content);
  switch (event.event_type) {
    case "user_message":
      return [{ kind: "user", text: content }];
    case "assistant_message":
      return answerEntries(content);
    case "reasoning":
      return [{ kind: "reasoning", text: content }];
    case "system":
      return [{ kind: "notice", text: content }];
    case "tool_call":
      calls.set(event.call_id ?? event.id, restoredCall(event));
      return [];
    case "tool_result": {
      const call_id = event.call_id ?? event.id;
      const call = calls.get(call_id) ?? restoredCall(event);
      calls.delete(call_id);
      return [{ kind: "tool", call: { ...call, result: restoredResult(event, call) } }];
    }
    case "interrupt_request": {
      const { interrupt_id = event.call_id ?? "", block } = parseInterrupt(content);
      return [{ kind: "ask", ask: { kind: "interrupt", interrupt_id, block }, session_id }];
    }
    case "interrupt_resume":
      return [{ kind: "notice", text: "The question above was answered." }];
    default:
      return [];
  }
}

const restoredCall = (event: PublicEvent): ToolCall => ({
  call_id: event.call_id ?? event.id,
  tool: textOf(event.payload.tool),
  arguments: argumentsOf(event.payload.arguments),
  started_at: Date.parse(event.created_at),
});

const restoredResult = ({ payload, created_at }: PublicEvent, call: ToolCall): ToolResult => ({
  content: textOf(payload.content),
  failed: payload.is_error === true,
  duration_ms: Math.max(0, Date.parse(created_at) - call.started_at),
});

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? "");

function argumentsOf(value: unknown): Record<string, string> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, textOf(each)]));
}

/** The question that is still open at the end of a restored session. */
export function openAsk(session_id: string, events: readonly PublicEvent[]): Ask | undefined {
  const last = events.findLast(({ event_type }) =>
    ["user_message", "interrupt_request", "interrupt_resume"].includes(event_type),
  );
  if (last?.event_type !== "interrupt_request") return undefined;
  const [entry] = restoredEntries(session_id, [last]);
  return entry?.kind === "ask" ? entry.ask : undefined;
}
