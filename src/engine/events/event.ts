import { z } from "zod";
import type { ErrorCode } from "../kernel/error.ts";
import { Timestamp } from "../kernel/fields.ts";

/** Provider data that must come back with the next request, such as a reasoning signature. */
export type ProviderMetadata = Record<string, Record<string, unknown>>;

/** Tokens of one step or one turn; a count is absent when the provider did not tell it. */
export interface Usage {
  readonly prompt_tokens?: number | undefined;
  readonly completion_tokens?: number | undefined;
  readonly cached_prompt_tokens?: number | undefined;
}

export type TurnOutcome = "completed" | "failed" | "cancelled";

/**
 * What happened in a session, one durable fact each. The first group is what clients read; the second
 * is the engine's own record of where a turn stands.
 */
export type Fact =
  | { readonly type: "user_message"; readonly payload: { readonly content: string } }
  | { readonly type: "assistant_message"; readonly payload: ModelText }
  | { readonly type: "reasoning"; readonly payload: ModelText }
  | { readonly type: "system"; readonly payload: { readonly content: string } }
  | { readonly type: "tool_call"; readonly call_id: string; readonly payload: ToolCallPayload }
  | { readonly type: "tool_result"; readonly call_id: string; readonly payload: ToolResultPayload }
  | { readonly type: "step_finished"; readonly payload: StepPayload }
  | { readonly type: "turn_recovered"; readonly payload: { readonly attempt: number } }
  | { readonly type: "turn_finished"; readonly payload: TurnFinishedPayload };

interface ModelText {
  readonly content: string;
  readonly provider_metadata?: ProviderMetadata | undefined;
}

export interface ToolCallPayload {
  readonly tool: string;
  /** The arguments exactly as the model wrote them: JSON text, or what it took for that. */
  readonly input: string;
  readonly provider_metadata?: ProviderMetadata | undefined;
}

export interface ToolResultPayload {
  readonly tool: string;
  readonly content: string;
  readonly is_error?: true | undefined;
  readonly duration_ms: number;
}

interface StepPayload {
  readonly finish_reason: string;
  readonly usage: Usage;
}

interface TurnFinishedPayload {
  readonly outcome: TurnOutcome;
  readonly usage: Usage;
  /** Size of the last prompt: how full the context is. */
  readonly context_tokens?: number | undefined;
  readonly error?: { readonly code: ErrorCode; readonly message: string } | undefined;
}

/** A fact in its place: `seq` counts a session's events from 1 without gaps. */
export type Event = Fact & {
  readonly session_id: string;
  readonly seq: number;
  readonly id: string;
  readonly turn_id: string;
  readonly agent_id: string;
  readonly created_at: string;
};

const PUBLIC_TYPES = [
  "user_message",
  "assistant_message",
  "reasoning",
  "system",
  "tool_call",
  "tool_result",
  "interrupt_request",
  "interrupt_resume",
] as const;

/** A persisted event as clients read it (contract 2.5). */
export const PublicEvent = z.object({
  id: z.string(),
  event_type: z.enum(PUBLIC_TYPES),
  agent_id: z.string().optional(),
  call_id: z.string().optional(),
  payload: z.record(z.string(), z.unknown()),
  created_at: Timestamp,
});
export type PublicEvent = z.infer<typeof PublicEvent>;

/** The events clients may read, in their public form; the engine's own bookkeeping is left out. */
export const toPublicEvents = (events: readonly Event[]): PublicEvent[] =>
  events.flatMap((event) => {
    const payload = publicPayload(event);
    if (!payload) return [];
    const { id, agent_id, created_at } = event;
    const call_id = "call_id" in event ? event.call_id : undefined;
    return [
      {
        id,
        event_type: event.type as PublicEvent["event_type"],
        agent_id,
        call_id,
        payload,
        created_at,
      },
    ];
  });

function publicPayload(event: Event): Record<string, unknown> | undefined {
  switch (event.type) {
    case "user_message":
    case "assistant_message":
    case "reasoning":
    case "system":
      return { content: event.payload.content };
    case "tool_call":
      return { tool: event.payload.tool, arguments: argumentTexts(event.payload.input) };
    case "tool_result": {
      const { tool, content, is_error } = event.payload;
      return is_error ? { tool, content, is_error } : { tool, content };
    }
    case "step_finished":
    case "turn_recovered":
    case "turn_finished":
      return undefined;
  }
}

/** The arguments as a map of texts; absent when the model did not write a JSON object. */
export function argumentTexts(input: string): Record<string, string> | undefined {
  const parsed = parseJson(input);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) return undefined;
  return Object.fromEntries(
    Object.entries(parsed).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export interface EventReads {
  /** In order, those after `after_seq` only. */
  list(session_id: string, after_seq?: number): Promise<Event[]>;
  /** 0 when the session has no events. */
  lastSeq(session_id: string): Promise<number>;
}

export interface EventWrites extends EventReads {
  /** Throws `conflict` when another writer has taken one of the places. */
  append(events: readonly Event[]): Promise<void>;
}
